import signal
import threading

import pytest

from regard.training.interruption import Interruption


def test_the_first_ctrl_c_only_asks_and_the_second_interrupts() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interruption() as interruption:
        assert not interruption.requested
        signal.raise_signal(signal.SIGINT)
        assert interruption.requested
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_sigterm_asks_and_never_interrupts_at_once() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with Interruption() as interruption:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        assert interruption.requested
    assert signal.getsignal(signal.SIGTERM) is before


def test_where_torchrun_repeats_a_ctrl_c_it_only_asks() -> None:
    with Interruption(insist=False) as interruption:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        assert interruption.requested


def test_the_handler_goes_with_an_error_too() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError), Interruption():
        1 / 0  # noqa: B018
    assert signal.getsignal(signal.SIGINT) is before


def test_another_thread_has_no_signals_to_catch() -> None:
    asked = []

    def work() -> None:
        with Interruption() as interruption:
            asked.append(interruption.requested)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert asked == [False]
