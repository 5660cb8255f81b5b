"""The translator that a command's options mean."""

from regard.cli.translators import open_translator


def test_languages_and_prefix_are_set_only_where_they_are_named(upper_case):
    assert open_translator("m", None, None, None).prefix == ""
    assert upper_case.seen == []
    assert open_translator("m", None, "de", "to German: ").prefix == "to German: "
    assert upper_case.seen == [{"source": None, "target": "de"}]


def test_settings_that_a_translator_does_not_follow_are_named(upper_case, capsys):
    upper_case.not_followed = ("top_a",)
    open_translator("m", None, None, None)
    assert capsys.readouterr().err == "regard: m asks for top_a; regard ignores that.\n"
