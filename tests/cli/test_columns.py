from regard.cli.columns import columns


def test_columns_stand_below_each_other_in_every_script() -> None:
    assert columns([["", "a"], ["日本", "12.5"], ["x", "3"]]).split("\n") == [
        "         a",
        "日本  12.5",
        "x        3",
    ]


def test_columns_to_the_left_and_no_spaces_at_the_end() -> None:
    rows = [["ok", "names", "every name fits"], ["wrong", "ties", ""]]
    assert columns(rows, left=3) == "ok     names  every name fits\nwrong  ties"


def test_a_cell_stays_on_its_line_whatever_the_terminal() -> None:
    assert columns([["a\nb", "\x1b[31mred"]]) == "a b  \\x1b[31mred"
