"""Stop words of other languages than English, and the language of a query.

Function words only, as the index has them: in lower case, Latin letters without
accents. Parts of contractions, as of `l'hôtel`, are words of their own.
"""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Final

from asdlc_kb.search.languages import ENGLISH
from asdlc_kb.search.tokens import STOP_WORDS

MIN_WORDS: Final = 2
"""Stop words of a language other than English by which a query is in it, if documents
in several languages are searched: one may be a word of another language."""

_WORDS: Final = {
    "danish": """
        af alle at blev bliver da de den denne der deres det dette dig din disse du
        efter eller en end er et for fordi fra ham han har havde have hende her hun hvad
        hvem hver hvis hvor hvordan hvorfor i ikke ind jeg kan man med men mig min mod
        naar nar nogle nu og ogsa om op os over pa sa sin skal som til ud under var ved
        vi vil vor
    """,
    "dutch": """
        aan al als ben bij dan dat de den der deze die dit doe doen door dus een en er
        geen had heb hebben heeft het hij hoe hun ik in is je jij kan kun kunnen maar me
        men met mijn moet na naar niet nog nu of om onder ook op over te tegen tot uit
        van veel voor waar waarom wanneer was wat we welke wie wij word worden wordt ze
        zelf zich zij zijn zo zou
    """,
    "finnish": """
        ei eivat ela en etta han hanen he ja jo joka jos jotka kanssa kautta kuin kuinka
        kun me mika miksi milloin mina minka minun missa mista mita miten mukaan mutta
        myos ne niin niita nyt olen oli olivat olla on ovat sama se sen sina sinun sita
        taalla tama taman tassa tata te tuo vai vain voi voiko voin voit
    """,
    "french": """
        a au aussi aux avec avez avoir c ca car ce cela ces cet cette comme comment d
        dans de des dont du elle en es est et etre il ils j je l la le les leur lui mais
        n ne nos notre nous on ont ou par pas peut peux pour pourquoi qu quand que quel
        quelle quels qui s sa sans se ses si son sont sous sur te tu un une vos votre
        vous y
    """,
    "german": """
        aber alle als am an auch auf aus bei damit dann das dass dem den der des die
        dies diese diesen dieser dieses du durch ein eine einem einen einer er es fur
        hat ich ihr im in ins ist kann kein keine konnen man mit nach nicht noch nur
        oder sein sich sie sind so uber um und unter vom von wann war warum was welche
        welcher welches wenn wer werden wie wir wird wo zu zum zur
    """,
    "italian": """
        a ad al alla alle anche c che chi ci come con cosa cui d da dal dalla dalle
        degli dei del della delle dello di dove e ed essere gli ha i il in l la le li lo
        loro lui ne nei nel nella nelle noi non o per perche piu puo quale quali quando
        quella quello questa queste questi questo se si sia sono su sua sul sulla suo tu
        un una uno
    """,
    "norwegian": """
        alle at av ble bli blir da de deg dem den denne der dere det dette din disse du
        eller en er et etter for fordi fra ha hadde han har hennes her hun hva hvem hver
        hvilke hvilken hvis hvor hvordan hvorfor i ikke inn ja jeg kan man med meg
        mellom men min mot na nar noe noen og ogsa om opp oss over pa sa seg selv sin
        skal som til ut uten vaere var ved vi vil
    """,
    "portuguese": """
        a ao aos as ate com como da das de do dos e ela ele em entre era essa esse esta
        estao estar este eu foi ha isso isto ja mais mas mesmo meu minha muito na nao
        nas nem no nos o onde os ou para pela pelas pelo pelos pode por porque posso
        quais qual quando que quem sao se sem ser seu seus so sua suas tambem tem um uma
        voce voces
    """,
    "russian": """
        а без была были было быть в во вот все всех всё вы где да для до его ее если
        есть еще ещё её же за и из или им их к как какая какие какой когда кто можно мой
        мы на над не нет ни но о об он она они оно от по под после при про с со так
        также то того только том тот у чем что чтобы эта эти это этого этой этот я
    """,
    "spanish": """
        a al como con cual cuales cuando cuanto de del desde donde dos el en entre era
        es esa ese eso esta estan estar este esto estos ha han hasta hay la las le les
        lo los mas me mi mucho muy ni no nos o para pero por porque puede puedo que
        quien se ser si sin sobre son su sus tambien te tiene tu un una uno y ya yo
    """,
    "swedish": """
        alla att av blev bli blir da dar de dem den denna deras dess det detta dig din
        dina dit du efter eller en er ett for fran ha hade han har hon honom hur i icke
        ingen inte ja jag kan man med mellan men mig min mot mycket nagon nagot nar och
        om oss pa sa samma sedan sig sin sina ska som till under upp ut utan vad var
        varfor varje vem vi vid vilka vilken vilket
    """,
}
"""The stop words of each stemmer."""

WITH_STOP_WORDS: Final = frozenset({ENGLISH, *_WORDS})
"""The stemmers with stop words."""


@cache
def list_stop_words(stemmer: str) -> frozenset[str]:
    """Return the stop words of a language; none for some."""
    if stemmer == ENGLISH:
        return STOP_WORDS
    return frozenset(_WORDS.get(stemmer, "").split())


def find_query_language(words: Collection[str], stemmers: Sequence[str]) -> str:
    """Return the stemmer of the language of a query.

    It is the language that has most of its words as stop words: of those of the
    searched documents, and English. Among equals the first comes first, English last.
    """
    distinct = set(words)
    is_mixed = len(stemmers) > 1
    best, chosen = 0, ENGLISH
    for stemmer in dict.fromkeys((*stemmers, ENGLISH)):
        count = len(distinct & list_stop_words(stemmer))
        is_certain = count >= MIN_WORDS or stemmer == ENGLISH or not is_mixed
        if count > best and is_certain:
            best, chosen = count, stemmer
    return chosen
