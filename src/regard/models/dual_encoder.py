"""Two encoders, of texts and of images, whose vectors are compared.

Radford et al. 2021, Learning Transferable Visual Models From Natural Language Supervision (CLIP);
Zhai et al. 2023, Sigmoid Loss for Language Image Pre-Training (SigLIP).
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.models.configs.dual_encoder import DualEncoderConfig
from regard.models.configs.facts import DualFacts
from regard.models.encoder import Encoder
from regard.models.model import Model
from regard.models.vision import VisionTransformer


class DualEncoder(DualFacts, Model):
    """Texts or images → their vectors, (batch, width); both → how they fit, (images, texts).

    >>> from regard.models import EncoderConfig, VisionConfig
    >>> shared = dict(d_model=12, d_ff=20, num_layers=1, num_heads=2, head="embedding")
    >>> text = EncoderConfig(vocab_size=100, **shared)
    >>> image = VisionConfig((8, 8), (4, 4), **shared)
    >>> model = DualEncoder(DualEncoderConfig(text, image)).eval()
    >>> model(ids=torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 12])
    >>> model(pixels=torch.zeros(2, 3, 8, 8), ids=torch.tensor([[5, 6, 7]])).shape
    torch.Size([2, 1])
    """

    def __init__(self, config: DualEncoderConfig):
        super().__init__()
        self.config = config
        self.text, self.image = Encoder(config.text), VisionTransformer(config.image)
        # One-element vectors: processes that share a model take no scalars.
        self.logit_scale = nn.Parameter(torch.empty(1))
        self.logit_bias = nn.Parameter(torch.empty(1)) if config.pairwise else None
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Initialize the scale and the bias as the papers do; the encoders initialize
        themselves."""
        if self.logit_scale.is_meta:
            return
        self.logit_scale.fill_(10 if self.logit_bias is not None else 1 / 0.07).log_()
        if self.logit_bias is not None:
            self.logit_bias.fill_(-10)

    def forward(
        self,
        *,
        pixels: Tensor | None = None,
        ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
    ) -> Tensor:
        """Return the vectors of texts or of images, or, of both, `logits` of these vectors.

        Args:
            pixels: (batch, channels, height, width).
            ids: (batch, length).
            attention_mask: (batch, length), False for padding; by default everything is read.
        """
        if ids is None:
            assert pixels is not None, "there must be texts or images"
            return self.image(pixels)
        texts = self.text(ids, attention_mask=attention_mask)
        return texts if pixels is None else self.logits(self.image(pixels), texts)

    def logits(self, images: Tensor, texts: Tensor) -> Tensor:
        """Vectors, (images, width) and (texts, width) → how they fit, (images, texts): their
        cosines, times the scale, and plus the bias where there is one."""
        images, texts = functional.normalize(images, dim=-1), functional.normalize(texts, dim=-1)
        logits = images @ texts.mT * self.logit_scale.exp()
        return logits if self.logit_bias is None else logits + self.logit_bias

    def loss(self, images: Tensor, texts: Tensor) -> Tensor:
        """Return the contrastive loss of vectors, (batch, width) each, where text k belongs to
        image k.

        CLIP's is the cross-entropy of the right text for each image and of the right image for each
        text, their mean (Radford et al. 2021, figure 3). SigLIP's judges every pair by itself
        (Zhai et al. 2023, equation 1).
        """
        logits = self.logits(images, texts)
        if self.logit_bias is not None:
            signs = 2 * torch.eye(len(logits), device=logits.device) - 1
            return -functional.logsigmoid(signs * logits).sum() / len(logits)
        right = torch.arange(len(logits), device=logits.device)
        both = (functional.cross_entropy(rows, right) for rows in (logits, logits.mT))
        return sum(both, logits.new_zeros(())) / 2

    def patches(self, pixels: Tensor) -> Tensor:
        """Return the vector of each patch of images, as `VisionTransformer.patches`."""
        return self.image.patches(pixels)
