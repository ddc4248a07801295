from play import speeches


def test_a_speech_has_a_character_and_words() -> None:
    assert speeches("Hamlet: Words, words, words.") == [("HAMLET", "Words, words, words.")]
