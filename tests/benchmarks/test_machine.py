"""What the figures say of the machine."""

from benchmarks.machine import machine, versions


def test_the_machine_is_described_by_what_makes_it_fast_or_slow() -> None:
    told = machine()
    assert list(told) == ["cores", "processor", "memory", "system", "load before"]
    assert all(told.values())


def test_our_own_versions_are_told_whoever_else_is_here() -> None:
    assert {"python", "onbook", "httpx2"} <= versions().keys()
