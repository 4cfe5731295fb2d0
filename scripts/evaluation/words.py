"""Words: which language a text is in, what it invents, and whether it runs in circles."""
import re
import unicodedata

# The most frequent short words of each language; words that several share decide nothing between those.
FREQUENT = {
    "en": "the and of to in is that it was for on are with as at be this have from or not by but what all were when "
          "we your can there an which their if will up about out then so has its they you my us our me do does please "
          "could would should them he she his her who how where had been more only because very just i don't it's",
    "de": "der die das und ist nicht ich wir ihr sie es ein eine einen zu den dem mit auf für von im am sich auch als "
          "nach noch aber hat haben wird war weil dass wenn man schon bei oder wie zum zur nur sehr gut uns",
    "fr": "le la les des et est pas que qui une un dans pour sur avec nous vous il elle ils ne se ce cette du au aux "
          "mais ou où par plus été avons avez être tout fait faire si leur je on était afin",
    "es": "el la los las y es no que en un una por con para se su al del lo como más pero fue ha hay sobre este esta "
          "nos muy también cuando porque nada así decidimos semana son",
    "it": "il lo la gli le e è non che di in un una per con si del della alla nel sono siamo abbiamo ha ma come più "
          "anche fino quindi questo questa al dei ieri stato",
    "pt": "o a os as e é não que de em um uma por com para se do da dos das no na ao mais mas como foi está ainda "
          "porque também você vocês nós isso tudo até tem muito acho",
}
FREQUENT = {language: set(words.split()) for language, words in FREQUENT.items()}
SCRIPTS = {
    "CYRILLIC": "ru", "ARABIC": "ar", "HEBREW": "he", "HANGUL": "ko", "HIRAGANA": "ja", "KATAKANA": "ja", "CJK": "zh",
    "LATIN": "latin",
}
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Words of grammar in English that say nothing by themselves; shorter ones are left out anyway.
GRAMMAR = FREQUENT["en"] | set(
    "than been being also into over under some such even much many more most other each every both these those here "
    "after before while until again once upon within without though although however therefore thus shall might must "
    "like well really quite will going gonna wanna thanks thank yours ours whom whose isn't don't doesn't "
    "didn't".split())
ENDINGS = [
    "ations", "ation", "ments", "ment", "ingly", "ically", "ables", "able", "ness", "ings", "edly", "iest", "ing",
    "ies", "ied", "ier", "ers", "est", "ely", "ily", "ed", "es", "er", "ly", "al", "en", "em", "s", "e", "y",
]


def words(text):
    return [word.lower().replace("’", "'") for word in WORD.findall(text)]


def script_of(character):
    name = unicodedata.name(character, "")
    return next((language for script, language in SCRIPTS.items() if name.startswith(script)), None)


def language(text):
    """A code of the table above, "ja", "zh"…, or None when the text is too short or too mixed to say."""
    counts = {}
    for character in text:
        if character.isalpha():
            script = script_of(character)
            counts[script] = counts.get(script, 0) + 1
    total = sum(counts.values())
    if total < 3:
        return None
    # Han with some kana is Japanese; a few Latin names do not make another language.
    if counts.get("ja", 0) * 10 >= total:
        return "ja"
    script, most = max(counts.items(), key=lambda entry: entry[1])
    if most * 2 < total:
        return None
    return latin_language(text) if script == "latin" else script


def latin_language(text):
    """The language whose frequent words stand in the text most often; None without a clear lead."""
    found = words(text)
    scores = sorted(
        ((sum(1 for word in found if word in frequent), language) for language, frequent in FREQUENT.items()),
        reverse=True)
    (best, language), (second, _) = scores[0], scores[1]
    return language if best >= 2 and best > second else None


def language_kept(wanted, output):
    """None when nobody can say."""
    guess = language(output)
    return None if guess is None else guess == wanted


def stem(word):
    """A rough one: endings off, as long as four letters stay; doubled letters at the end become one."""
    word = word.split("'")[0]
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def content_words(text, language_code, without=()):
    """Words of at least four letters that are no grammar; those of protected strings do not count."""
    for part in without:
        text = text.replace(part, " ")
    grammar = GRAMMAR if language_code == "en" else FREQUENT.get(language_code, set())
    return [word for word in words(text) if len(word) >= 4 and word not in grammar and not word.isdigit()]


def same_stem(first, second):
    """Equal, or one the other's beginning of at least four letters (three when it is short)."""
    short, long = sorted((first, second), key=len)
    return first == second or len(short) >= 4 and long.startswith(short)


def invented(source, output, language_code, keep=()):
    """The output's content words without a stem in the source, and how many it has; None where words are not set apart
    by spaces."""
    if language_code in ("zh", "ja", "ko"):
        return None
    known = {stem(word) for word in words(source)}
    found = content_words(output, language_code, keep)
    return [word for word in found if not any(same_stem(stem(word), one) for one in known)], len(found)


def share_kept(source, output, language_code, keep=()):
    """Which share of the source's content words has its stem in the output: against outputs that only look clean
    because they say little."""
    if language_code in ("zh", "ja", "ko"):
        return None
    wanted = {stem(word) for word in content_words(source, language_code, keep)}
    got = {stem(word) for word in words(output)}
    if not wanted:
        return None
    return sum(1 for one in wanted if any(same_stem(one, other) for other in got)) / len(wanted)


def loops(source, output):
    """Whether the output repeats itself in a way that the source does not."""
    return circles(output) and not circles(source)


def circles(text):
    found = words(text)
    for length in range(1, 13):
        # In a row: four times a word, three times more than one.
        times = 4 if length == 1 else 3
        for start in range(len(found) - length * times + 1):
            piece = found[start:start + length]
            if all(found[start + k * length:start + (k + 1) * length] == piece for k in range(1, times)):
                return True
    sentences = [" ".join(words(part)) for part in re.split(r"[.!?。！？\n]+", text)]
    long = [sentence for sentence in sentences if len(sentence.split()) >= 5 or len(sentence) >= 24]
    if len(long) != len(set(long)):
        return True
    runs = [tuple(found[i:i + 7]) for i in range(len(found) - 6)]
    if any(runs.count(run) >= 3 for run in set(runs)):
        return True
    # Scripts without spaces, and runs of marks.
    return bool(re.search(r"(\S{2,20})\1{3,}", re.sub(r"[-=_*.#|:~\s]+", " ", text))) or bool(
        re.search(r"([^\s\-=_*.#|~])\1{9,}", text))


def stock_phrases(pairs, times=3, length=4):
    """For each (name of the source, source, output) whether it holds so many words in a row that stand in the outputs
    of several sources and not in its own: examples of a prompt that shine through, the model's favourite phrases."""
    def runs(text):
        found = words(text)
        return {tuple(found[i:i + length]) for i in range(len(found) - length + 1)}

    own = [(name, runs(output) - runs(source)) for name, source, output in pairs]
    holders = {}
    for name, found in own:
        for run in found:
            holders.setdefault(run, set()).add(name)
    return [any(len(holders[run]) >= times for run in found) for _, found in own]


def unchanged(source, output):
    return " ".join(source.split()) == " ".join(output.split())
