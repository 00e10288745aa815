"""Queries over documents in several languages."""

from dataclasses import replace

import pytest
from support.texts import Texts, document, find, index, keys, section

from asdlc_kb.search.values import SearchDocument, SearchRequest

FRENCH = (
    document(
        "fr/cache.md",
        "Vider le cache",
        "Les requêtes suivantes lisent les données du cache. Une requête est courte.",
        section("Configurer la durée", "La durée des données est configurée ici.", 9),
        language="fr",
        folders=("fr",),
    ),
    document(
        "fr/serveur.md",
        "Installation du serveur",
        "Le serveur démarre après l'installation. Créer un compte suffit.",
        language="fr-CA",
        folders=("fr",),
    ),
)
GERMAN = (
    document(
        "de/einrichtung.md",
        "Einrichtung",
        "Die Einrichtung des Servers braucht Schlüssel und Größen.",
        language="de",
        folders=("de",),
    ),
    document(
        "de/haus.md",
        "Häuser",
        "Jedes Haus hat eine Straße.",
        language="de",
        folders=("de",),
    ),
)
SPANISH = (
    document(
        "es/configuracion.md",
        "Configuración nacional",
        "Las configuraciones nacionales tienen páginas.",
        language="es",
        folders=("es",),
    ),
)
RUSSIAN = (
    document(
        "ru/nastroika.md",
        "Настройка страницы",
        "Файлы настройки лежат рядом.",
        language="ru",
        folders=("ru",),
    ),
)
ENGLISH = (
    document(
        "cache.md",
        "Clearing the cache",
        "Requests read notes of the cache. It is not empty.",
        language="en",
    ),
    document("server.md", "Server", "Servers are configured by files.", language=""),
)
ALL = index(*ENGLISH, *FRENCH, *GERMAN, *SPANISH, *RUSSIAN)


def first(query: str) -> str:
    """Return the key of the best hit."""
    return next(iter(keys(find(ALL, query))), "")


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("requetes", "fr/cache.md"),
        ("requête", "fr/cache.md"),
        ("donnée", "fr/cache.md"),
        ("installations serveur", "fr/serveur.md"),
        ("creer", "fr/serveur.md"),
        ("einrichten", "de/einrichtung.md"),
        ("grosse", "de/einrichtung.md"),
        ("strasse", "de/haus.md"),
        ("nacionales", "es/configuracion.md"),
        ("configuracion", "es/configuracion.md"),
        ("настройке", "ru/nastroika.md"),
        ("СТРАНИЦЕ", "ru/nastroika.md"),
        ("request", "cache.md"),
        ("configuring server", "server.md"),
    ],
)
def test_a_word_is_found_in_any_form_of_its_language(query: str, key: str) -> None:
    """With and without accents, among pages in other languages."""
    assert first(query) == key


def test_a_stem_of_one_language_is_no_word_of_another() -> None:
    """`notes` has the French stem `not`, which is an English word."""
    english = document("a.md", "Alpha", "It is not here.", language="en")
    french = document("fr/b.md", "Beta", "Une note est ici.", language="fr")
    assert keys(find(index(english, french), "notes")) == ["fr/b.md"]


def test_phrases_and_operators_are_stemmed_in_every_language() -> None:
    """Fields, exact phrases, required words, prefixes, whole titles."""
    assert keys(find(ALL, '"configurer la duree"')) == ["fr/cache.md"]
    assert keys(find(ALL, "title:installations")) == ["fr/serveur.md"]
    assert keys(find(ALL, "+requete +donnee")) == ["fr/cache.md"]
    assert keys(find(ALL, "heading:durées")) == ["fr/cache.md"]
    assert keys(find(ALL, "einricht*")) == ["de/einrichtung.md"]
    assert first("configuraciones nacionales") == "es/configuracion.md"
    assert "fr/cache.md" not in keys(find(ALL, "cache -requete"))


def test_a_request_may_stem_in_one_language_only() -> None:
    """Documents in others are found by equal stems only."""
    pair, source = ALL

    def search(query: str, language: str) -> list[str]:
        request = SearchRequest(query, 10, source.accepts, language=language)
        return keys(pair.search(request))

    assert search("requetes", "fr") == ["fr/cache.md"]
    assert search("einrichten", "fr") == []


def test_matches_are_marked_in_the_language_of_a_page() -> None:
    """In any form, with accents as they are."""
    results = find(ALL, "requetes")
    assert "Les **requêtes** suivantes" in results.hits[0].snippet
    assert "Une **requête** est courte" in results.hits[0].snippet
    assert results.hits[0].language == "fr"
    assert "**Straße**" in find(ALL, "strasse").hits[0].snippet
    assert "**настройки** лежат" in find(ALL, "настройка").hits[0].snippet


def test_a_misspelt_word_of_another_alphabet_is_corrected() -> None:
    """A wrong letter, a missing one."""
    for typed in ("настфойки", "настойки"):
        results = find(ALL, typed)
        assert keys(results) == ["ru/nastroika.md"], typed
        assert results.corrected == ((typed, "настройки"),)


def test_languages_of_hidden_pages_stem_nothing() -> None:
    """No result depends on a page that is not visible."""
    fulltext, source = index(*ENGLISH, *GERMAN)
    gone = Texts(*ENGLISH)
    request = SearchRequest("servers einrichten", 10, gone.accepts)
    assert fulltext.search(request).weights.keys() == {"server", "einrichten"}
    seen = fulltext.search(replace(request, accepts=source.accepts))
    assert "einricht" in seen.weights


def test_an_english_index_has_the_results_of_one_without_languages() -> None:
    """Tags of English change nothing, nor does a language without a stemmer."""
    plain: list[SearchDocument] = [replace(one, language="") for one in ENGLISH]
    tagged = [
        replace(one, language=tag) for one, tag in zip(plain, ("en", "zh"), strict=True)
    ]
    for query in ("requests", "configured server", '"the cache"', "cach* -server"):
        assert find(index(*plain), query) == replace(
            find(index(*tagged), query),
            hits=find(index(*plain), query).hits,
        )
        assert keys(find(index(*plain), query)) == keys(find(index(*tagged), query))


def test_stop_words_of_a_language_weigh_little_in_its_queries() -> None:
    """As English ones do: here they are in one page only, so they are rare words."""
    french = index(
        document("fr/a.md", "Cache", "Vider le cache.", language="fr"),
        document("fr/b.md", "Comment", "Comment est-ce que je peux ?", language="fr"),
        document("fr/c.md", "Autre", "Autre page.", language="fr"),
    )
    query = "comment est-ce que je peux vider son cache"
    assert keys(find(french, query))[0] == "fr/a.md"
    assert list(find(french, query).weights) == ["vid", "cach"]
    assert keys(find(french, "comment"))[0] == "fr/b.md"


def test_each_language_of_a_mixed_tree_has_its_own_stop_words() -> None:
    """A stop word of one is a word in a query in the other."""
    mixed = index(
        document("man.md", "Man pages", "Read a man page.", language="en"),
        document("pages.md", "Pages", "Pages of pages: pages.", language="en"),
        document("de/datei.md", "Dateien", "Wie man Dateien liest.", language="de"),
        document("de/wie.md", "Wie man", "Wie man die was tut.", language="de"),
    )
    assert keys(find(mixed, "man pages"))[0] == "man.md"
    assert keys(find(mixed, "wie kann man die dateien lesen"))[0] == "de/datei.md"
