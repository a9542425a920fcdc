"""What people ask about each game, with answers: for its rules page and for search engines."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class Question:
    """A question and its answer, both plain text."""

    asked: str | Promise
    answer: str | Promise


LOST = Question(
    _("What if somebody loses the connection?"),
    _(
        "Nothing is lost. The table waits, and whoever comes back finds seat, hand and score as"
        " they were. Only leaving by the table's own button ends a match, as a draw."
    ),
)
WHISPER = Question(
    _("May partners tell each other what they hold?"),
    _(
        "No. Everybody at the table reads the whole chat, and hints about hands or about what to"
        " play are against the spirit of the game."
    ),
)
COST = Question(
    _("Does it cost anything, and do I need an account?"),
    _("It is free, there is no account, and nothing has to be downloaded."),
)

QUESTIONS: dict[str, tuple[Question, ...]] = {
    "ristikontra": (
        Question(
            _("Can two or three play Ristikontra?"),
            _(
                "Not here: it takes four, in two sides. Alone you play it with three computers."
                " For two or three there is Ristiseiska."
            ),
        ),
        Question(
            _("Do I have to follow suit, or to match the led rank?"),
            _(
                "Neither. Any card of your hand may be played at any time. The one exception is the"
                " ban, and it binds only whoever leads."
            ),
        ),
        Question(
            _("Can my partner take a trick away from me?"),
            _(
                "Yes: the last card of the led rank takes, whoever played it. The cards go to your"
                " side's pile all the same; only the next lead is your partner's."
            ),
        ),
        Question(
            _("Can a card from the stock take a trick?"),
            _("Yes, like any other. It is marked as coming from the stock, and everybody sees it."),
        ),
        Question(
            _("May I look through the piles?"),
            _(
                "No. You see the trick in progress, the last one taken and how many cards each pile"
                " has. What has gone before you must remember."
            ),
        ),
        Question(
            _("What if the barred card is the only one I have?"),
            _("Then you may lead it. That can happen in the thirteenth trick only."),
        ),
        WHISPER,
        LOST,
        Question(
            _("How long does a match take?"),
            _("About twenty minutes. A deal is thirteen tricks, and seven game points win."),
        ),
        COST,
    ),
    "ristikontra-house": (
        Question(
            _("What is played if I choose nothing?"),
            _(
                "The first of each: the usual card values, seven game points, two for a sweep, and"
                " no penalty for signals. That is Ristikontra itself."
            ),
        ),
        Question(
            _("Can the options be changed during a match?"),
            _("No. They stand for the whole table; for others you open a new one."),
        ),
        Question(
            _("Why can some options not be combined?"),
            _(
                "The sweep that wipes and the penalty for signals are counted in game points. Where"
                " card points are added up there are none to take away."
            ),
        ),
        Question(
            _("How does one concede a signal?"),
            _(
                "After a deal is counted there is a button at the table, until the next deal's"
                " first card. Everybody reads it in the chat, and it cannot be taken back."
            ),
        ),
        LOST,
        COST,
    ),
    "cleaning": (
        Question(
            _("Does it matter whose queen it was?"),
            _("No. What makes a side dirty is taking one, even its own."),
        ),
        Question(
            _("Does a king taken early clean in advance?"),
            _("No. Only kings taken in the last five tricks count, and only for a dirty side."),
        ),
        Question(
            _("How many kings does it take to clean two or three queens?"),
            _("One. It cleans however many queens were taken."),
        ),
        Question(
            _("May a queen lie in the trick with the king?"),
            _("Yes, as long as it is not a queen that takes the trick."),
        ),
        Question(
            _("Can the dirt be seen?"),
            _(
                "Yes. Everybody saw the queens fall, so the table marks a dirty side. Which trick"
                " did it is told when the deal is counted."
            ),
        ),
        WHISPER,
        LOST,
        COST,
    ),
    "ristiseiska": (
        Question(
            _("May I keep a card that fits and take the pantti instead?"),
            _(
                "No. Who can play must play. But if several cards fit you choose, and holding back"
                " a six or an eight that way is half of the game."
            ),
        ),
        Question(
            _("Does the pantti cost something each time I take it?"),
            _(
                "No. There is one pantti, and only whoever holds it when the deal ends pays for it,"
                " once."
            ),
        ),
        Question(
            _("Do I get rid of the pantti by playing later?"),
            _("No. You lose it when somebody else has to take it."),
        ),
        Question(
            _("Must I play a second card after an ace or a king?"),
            _("No. You may stop, and stopping costs nothing."),
        ),
        Question(
            _("Is the ace high or low?"),
            _(
                "It lies at the low end, after the two. Left in a hand it is the dearest card of"
                " all: fourteen."
            ),
        ),
        Question(
            _("Does the game go with two?"),
            _(
                "Yes: twenty-six cards each. You then know what the other holds, but not when it"
                " will be played."
            ),
        ),
        Question(
            _("What if nobody can play?"),
            _("That cannot happen: some seat always holds a card that fits."),
        ),
        LOST,
        COST,
    ),
}
"""By the key of the game, in the order of its page."""
