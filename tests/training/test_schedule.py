import pytest

from regard.training.schedule import SCHEDULES, cooldown_factor, learning_rate


def inverse_square_root(step: int, *, peak: float, warmup: int) -> float:
    return learning_rate("inverse-sqrt", step, peak=peak, warmup=warmup, last=None)


@pytest.mark.parametrize(
    ("step", "expected"),
    [(1, 0.02), (25, 0.5), (99, 1.98), (100, 2.0), (101, 2 * (100 / 101) ** 0.5), (400, 1.0)],
)
def test_it_rises_to_the_peak_and_falls_with_the_square_root(step: int, expected: float) -> None:
    assert inverse_square_root(step, peak=2.0, warmup=100) == pytest.approx(expected)


@pytest.mark.parametrize(("warmup", "step", "expected"), [(0, 1, 2.0), (0, 4, 1.0), (1, 1, 2.0)])
def test_without_a_warmup_it_falls_from_the_first_step(
    warmup: int, step: int, expected: float
) -> None:
    assert inverse_square_root(step, peak=2.0, warmup=warmup) == expected


def test_it_is_the_papers_equation_3() -> None:
    d_model, warmup = 512, 4000
    for step in (7, 4000, 90_001):
        paper = d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        ours = inverse_square_root(step, peak=(d_model * warmup) ** -0.5, warmup=warmup)
        assert ours == pytest.approx(paper)


@pytest.mark.parametrize(("step", "expected"), [(1, 1.0), (7, 1.0), (8, 0.75), (10, 0.25)])
def test_the_cooldown_falls_in_a_line_over_the_last_steps(step: int, expected: float) -> None:
    assert cooldown_factor(step, last=10, cooldown=4) == expected
    assert cooldown_factor(step, last=10, cooldown=0) == 1.0


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_schedule_rises_in_a_line_to_the_peak(schedule: str) -> None:
    rates = [learning_rate(schedule, step, peak=2.0, warmup=4, last=20) for step in (1, 2, 4)]
    assert rates == [0.5, 1.0, 2.0]


def test_the_linear_schedule_would_be_zero_at_the_step_after_the_last() -> None:
    rates = [learning_rate("linear", step, peak=2.0, warmup=4, last=11) for step in (4, 8, 11)]
    assert rates == [2.0, 1.0, 0.25]


def test_the_cosine_ends_at_a_tenth_of_the_peak() -> None:
    rates = [learning_rate("cosine", step, peak=2.0, warmup=2, last=11) for step in (2, 7, 12)]
    assert rates == pytest.approx([2.0, 1.1, 0.2])
