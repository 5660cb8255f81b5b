"""Several processes that train one model: what each computes, and what all must agree on.

torchrun starts them. The batches of a step are dealt out in turn, so a step is the same whatever
their number. PyTorch's fully_shard sums the gradients: with sharding, each process keeps a part of
the weights, the gradient and the optimizer's moments (Rajbhandari et al. 2020, ZeRO, stage 3; Zhao
et al. 2023, PyTorch FSDP); without it, all of them.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn

from regard.errors import BadArgumentError, UnavailableError
from regard.models.layers import TransformerLayer

T = TypeVar("T")
Loss = Callable[[nn.Module, Any], tuple[Tensor, int, int]]
PATIENCE = timedelta(days=1)  # the others wait while the first one prepares data and evaluates


@dataclass(frozen=True)
class Processes:
    """The processes of a run as one of them sees them; by default it is the only one."""

    rank: int = 0
    count: int = 1
    shard: bool = False

    @property
    def first(self) -> bool:
        """Return True in the process that speaks, evaluates and writes files."""
        return self.rank == 0

    def own(self, numbers: Sequence[int]) -> Sequence[int]:
        """Batches of a step that this process computes."""
        return numbers[self.rank :: self.count]

    def total(self, *values: float) -> list[float]:
        """Return the sums of the processes' values."""
        return self._reduced(values, dist.ReduceOp.SUM)

    def most(self, value: float) -> float:
        """Return the largest of the processes' values."""
        return self._reduced([value], dist.ReduceOp.MAX)[0]

    def from_first(self, value: T) -> T:
        """Return the first process's value."""
        if self.count == 1:
            return value
        values = [value]
        dist.broadcast_object_list(values, src=0, device=torch.device("cpu"))
        return values[0]

    def in_turn(self, action: Callable[[], T]) -> T:
        """Run `action` in the first process, then in the others, which reuse its files."""
        if not self.first:
            self.total(0)
            return action()
        result = action()
        self.total(0)
        return result

    def _reduced(self, values: Sequence[float], how: object) -> list[float]:
        if self.count == 1:
            return list(values)
        tensor = torch.tensor(values, dtype=torch.float64)
        dist.all_reduce(tensor, how)
        return tensor.tolist()


ALONE = Processes()


class OtherEnded(UnavailableError):
    """Another process of the run has ended, maybe the one that speaks for all."""

    of_another_process = True


def launched() -> int:
    """Return number of processes that torchrun, or a launcher with the same variables, has
    started."""
    names = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
    return int(os.environ["WORLD_SIZE"]) if all(name in os.environ for name in names) else 1


def own_device(device: torch.device) -> torch.device:
    """Return the device of this process: of several GPUs, its own.

    Raises:
        BadArgumentError: there are fewer GPUs than processes.
    """
    if device.type != "cuda" or launched() == 1:
        return device
    number, available = int(os.environ.get("LOCAL_RANK", 0)), torch.cuda.device_count()
    if number >= available:
        raise BadArgumentError(
            f"each process needs a GPU of its own; there are {available} for"
            f" {os.environ.get('LOCAL_WORLD_SIZE', launched())} processes. Start fewer, or give"
            " device='cpu'."
        )
    torch.cuda.set_device(number)
    return torch.device("cuda", number)


@contextmanager
def joined(device: torch.device, *, shard: bool = False) -> Iterator[Processes]:
    """Join the processes that were launched together, for as long as they live.

    Args:
        shard: whether weights, gradient and moments are to be shared out.

    Raises:
        BadArgumentError: sharding with one process.
        OtherEnded: another process has ended.
    """
    if launched() == 1:
        if shard:
            raise BadArgumentError(
                "`shard` shares a model out among processes, and there is only one. Leave it out,"
                " or start several with torchrun."
            )
        yield ALONE
        return
    if not dist.is_initialized():
        backend = "gloo" if device.type == "cpu" else "cpu:gloo,cuda:nccl"
        dist.init_process_group(backend, timeout=PATIENCE)
    try:
        yield Processes(dist.get_rank(), dist.get_world_size(), shard)
    except RuntimeError as error:
        if isinstance(error, dist.DistError) or "gloo" in str(error).lower():
            raise OtherEnded(
                "another process of this run has ended; unless it was killed, its message says why."
                " The same command resumes from the last checkpoint."
            ) from error
        raise


def batches_in_step(asked: int | None, recorded: int | None, processes: Processes) -> int:
    """Return number of batches of a step: as requested or recorded, by default one for each
    process.

    Raises:
        BadArgumentError: the processes cannot share them equally.
    """
    count = asked or recorded or processes.count
    if count % processes.count:
        more = processes.count * -(-count // processes.count)
        mend = f"Give accumulate={more}, or start" if recorded is None else "Start"
        raise BadArgumentError(
            f"{processes.count} processes cannot share the {count} batches of a step equally."
            f" {mend} another number of processes."
        )
    return count


class SharedWeights:
    """The float32 weights of a model that several processes train, whole or in shards.

    Their gradient is the sum over the processes. In bfloat16 the model computes with copies, as
    with `MasterWeights`.

    Args:
        model: the same in every process; its parameters become parts of a whole.
        loss: of the model and a batch, the summed loss first.
    """

    def __init__(self, model: nn.Module, loss: Loss, dtype: torch.dtype, processes: Processes):
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard

        self.processes, self.dtype = processes, dtype
        self.loss_module = _LossModule(model, loss)
        count = processes.count
        mesh = init_device_mesh(
            next(model.parameters()).device.type,
            (1, count) if processes.shard else (count, 1),
            mesh_dim_names=("replicate", "shard"),
        )
        shared: dict[str, Any] = {
            "mesh": mesh,
            "mp_policy": MixedPrecisionPolicy(
                param_dtype=dtype, reduce_dtype=torch.float32, cast_forward_inputs=False
            ),
        }
        for layer in list(model.modules()):
            if isinstance(layer, TransformerLayer):
                fully_shard(layer, reshard_after_forward=processes.shard, **shared)
        fully_shard(self.loss_module, **shared)
        for module in self.loss_module.modules():
            if isinstance(module, FSDPModule):  # a sum, where FSDP has a mean
                module.set_gradient_divide_factor(1.0)
                module.set_force_sum_reduction_for_comms(True)
        self.parameters = {name: p for name, p in model.named_parameters() if p.requires_grad}

    def loss(self, batch: object) -> tuple[Tensor, int, int]:
        """Return the loss of this process's batch."""
        result: tuple[Tensor, int, int] = self.loss_module(batch)
        return result

    def gather_gradients(self) -> None:
        """Nothing: the backward pass has summed them."""

    def publish(self) -> None:
        """Nothing: the model computes with what the optimizer updates."""

    def norm(self, gradients: Sequence[Tensor]) -> float:
        """Return the norm of the whole gradient."""
        return whole(nn.utils.get_total_norm(gradients)).item()

    def gather(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Tensors of which every process has a part, whole and in the first process's memory; in
        the others, nothing."""
        gathered = {}
        for name, tensor in tensors.items():
            full = whole(tensor)
            if self.processes.first:
                gathered[name] = full.detach().cpu()
        return gathered

    def part(self, like: nn.Parameter, tensor: Tensor) -> Tensor:
        """Return this process's part of a whole tensor, as it has a part of the parameter."""
        if tensor.shape != like.shape:  # the optimizer's count of steps
            return tensor
        return part(like, tensor)

    @torch.no_grad()
    def load(self, weights: dict[str, Tensor]) -> None:
        """Take saved weights."""
        for name, parameter in self.parameters.items():
            parameter.copy_(part(parameter, weights[name]))


def whole(tensor: Tensor) -> Tensor:
    """Return the tensor, where each process has a part of it; all must ask."""
    full: Tensor = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
    return full


def part(like: Tensor, tensor: Tensor) -> Tensor:
    """Return the part of a whole tensor that this process has of `like`, a tensor of the same
    shape."""
    if not hasattr(like, "full_tensor"):
        return tensor
    from torch.distributed.tensor import DTensor, distribute_tensor

    assert isinstance(like, DTensor)
    return distribute_tensor(
        tensor.to(like.device), like.device_mesh, like.placements, src_data_rank=None
    )


class _LossModule(nn.Module):
    """The model and its loss as one module, in whose forward pass the weights are whole."""

    def __init__(self, model: nn.Module, loss: Loss):
        super().__init__()
        self.model, self.function = model, loss

    def forward(self, batch: object) -> tuple[Tensor, int, int]:
        return self.function(self.model, batch)
