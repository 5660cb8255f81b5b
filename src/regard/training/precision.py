"""Training in bfloat16 with float32 master weights.

The model's own parameters are bfloat16, cast once a step, so that every product and every
activation is bfloat16; gradients are summed and the optimizer steps in float32 (Micikevicius et
al. 2018, Mixed Precision Training, section 3.1; bfloat16 has float32's range and needs no loss
scaling). In float32 the masters are the parameters themselves.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from regard.attention.kernels.choice import cpu_multiplies_bfloat16
from regard.errors import BadArgumentError

PRECISIONS = ("auto", "fp32", "bf16")
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}


def choose_device(name: str) -> torch.device:
    """Return the device called `name`; "auto" is a GPU where there is one."""
    available = torch.cuda.is_available()
    if name == "auto":
        return torch.device("cuda" if available else "cpu")
    if name not in ("cpu", "cuda") or (name == "cuda" and not available):
        names = "auto, cpu or cuda" if available else "auto or cpu; there is no CUDA device here"
        raise BadArgumentError(f"device must be {names}; got {name!r}.")
    return torch.device(name)


def choose_dtype(precision: str, device: torch.device) -> torch.dtype:
    """Return the dtype that `precision` names; "auto" is bf16 where the hardware multiplies it."""
    if precision == "auto":
        return torch.bfloat16 if _fast_bf16(device) else torch.float32
    return DTYPES[precision]


class MasterWeights:
    """The float32 weights the optimizer updates, and the model that computes with their copies."""

    def __init__(self, model: nn.Module, dtype: torch.dtype):
        trainable = {name: p for name, p in model.named_parameters() if p.requires_grad}
        masters = {name: p.detach().float().clone() for name, p in trainable.items()}
        model.to(dtype)
        self.dtype = dtype
        self.parameters: dict[str, nn.Parameter] = {
            name: nn.Parameter(masters[name]) if dtype != torch.float32 else p
            for name, p in trainable.items()
        }
        self._pairs = [(self.parameters[name], p) for name, p in trainable.items()]
        self._separate = dtype != torch.float32

    def gather_gradients(self) -> None:
        """Add the model's gradients to the masters' and clears the model's."""
        if not self._separate:
            return
        for master, copy in self._pairs:
            if copy.grad is None:
                continue
            if master.grad is None:
                master.grad = copy.grad.float()
            else:
                master.grad += copy.grad
            copy.grad = None

    @torch.no_grad()
    def publish(self) -> None:
        """Copy the masters into the model."""
        if self._separate:
            masters, copies = zip(*self._pairs, strict=True)
            torch._foreach_copy_(copies, masters)

    def norm(self, gradients: Sequence[Tensor]) -> float:
        """Return the norm of the whole gradient."""
        return nn.utils.get_total_norm(gradients).item()

    def gather(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Tensors like the masters, whole: see `processes.SharedWeights`."""
        return {name: tensor.detach() for name, tensor in tensors.items()}

    def part(self, like: nn.Parameter, tensor: Tensor) -> Tensor:
        """Return the tensor where the parameter is: see `processes.SharedWeights`."""
        return tensor.to(like.device)

    @torch.no_grad()
    def load(self, weights: dict[str, Tensor]) -> None:
        """Take saved weights and publishes them."""
        for name, master in self.parameters.items():
            master.copy_(weights[name])
        self.publish()


def _fast_bf16(device: torch.device) -> bool:
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    return device.type == "cpu" and cpu_multiplies_bfloat16()
