"""Emoji by name, `:smile:`, and the icons of documentation themes, `:material-home:`.

Most names of emoji are those of Unicode; a table has the others that are in common use.
Icons are left out, except for signs that mean something in a table.
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from asdlc_kb.markup.dialects.attribute_lists import LIST
from asdlc_kb.markup.dialects.dialect import InlineRule
from asdlc_kb.markup.dialects.source import Output

_NAMES: Final = """
smile 😄 smiley 😃 grinning 😀 grin 😁 laughing 😆 satisfied 😆 joy 😂 rofl 🤣
wink 😉 blush 😊 slightly_smiling_face 🙂 upside_down_face 🙃 heart_eyes 😍
kissing_heart 😘 yum 😋 stuck_out_tongue 😛 sunglasses 😎 thinking 🤔
neutral_face 😐 expressionless 😑 smirk 😏 unamused 😒 roll_eyes 🙄 relieved 😌
sleeping 😴 mask 😷 nerd_face 🤓 confused 😕 worried 😟 open_mouth 😮
astonished 😲 flushed 😳 cry 😢 sob 😭 scream 😱 angry 😠 rage 😡
exploding_head 🤯 partying_face 🥳 hugs 🤗 innocent 😇 imp 👿 skull 💀 poop 💩
hankey 💩 robot 🤖 ghost 👻 alien 👽 heart ❤️ broken_heart 💔 100 💯 boom 💥
collision 💥 sweat_drops 💦 dash 💨 zzz 💤 wave 👋 ok_hand 👌 v ✌️
crossed_fingers 🤞 point_left 👈 point_right 👉 point_up 👆 point_up_2 👆
point_down 👇 +1 👍 thumbsup 👍 -1 👎 thumbsdown 👎 fist ✊ facepunch 👊
punch 👊 clap 👏 raised_hands 🙌 open_hands 👐 pray 🙏 muscle 💪 eyes 👀
brain 🧠 baby 👶 man 👨 woman 👩 man_technologist 👨‍💻
woman_technologist 👩‍💻 technologist 🧑‍💻 raising_hand 🙋
man_raising_hand 🙋‍♂️ woman_raising_hand 🙋‍♀️ shrug 🤷
man_shrugging 🤷‍♂️ woman_shrugging 🤷‍♀️ facepalm 🤦
woman_in_lotus_position 🧘‍♀️ man_in_lotus_position 🧘‍♂️
lotus_position 🧘 runner 🏃 walking 🚶 dancer 💃 dog 🐶 cat 🐱 mouse 🐭
rabbit 🐰 bear 🐻 panda_face 🐼 penguin 🐧 bird 🐦 frog 🐸 monkey 🐒 pig 🐷
snail 🐌 bug 🐛 bee 🐝 honeybee 🐝 beetle 🪲 crab 🦀 whale 🐳 dolphin 🐬 fish 🐟
octopus 🐙 unicorn 🦄 rose 🌹 sunflower 🌻 seedling 🌱 evergreen_tree 🌲
cactus 🌵 four_leaf_clover 🍀 herb 🌿 star ⭐ star2 🌟 sparkles ✨ zap ⚡
fire 🔥 sunny ☀️ cloud ☁️ umbrella ☔ snowflake ❄️ snowman ⛄ rainbow 🌈
ocean 🌊 droplet 💧 apple 🍎 pizza 🍕 hamburger 🍔 cookie 🍪 cake 🍰 birthday 🎂
coffee ☕ tea 🍵 beer 🍺 beers 🍻 tada 🎉 balloon 🎈 gift 🎁 trophy 🏆
medal_sports 🏅 1st_place_medal 🥇 soccer ⚽ dart 🎯 game_die 🎲 art 🎨
musical_note 🎵 guitar 🎸 movie_camera 🎥 camera 📷 tv 📺 car 🚗 bus 🚌 bike 🚲
airplane ✈️ rocket 🚀 ship 🚢 construction 🚧 fuelpump ⛽
vertical_traffic_light 🚦 house 🏠 office 🏢 factory 🏭 earth_africa 🌍
earth_americas 🌎 earth_asia 🌏 globe_with_meridians 🌐 world_map 🗺️ watch ⌚
iphone 📱 computer 💻 desktop_computer 🖥️ keyboard ⌨️ printer 🖨️
floppy_disk 💾 cd 💿 battery 🔋 electric_plug 🔌 bulb 💡 flashlight 🔦
moneybag 💰 dollar 💵 credit_card 💳 gem 💎 balance_scale ⚖️ wrench 🔧
hammer 🔨 hammer_and_wrench 🛠️ tools 🛠️ nut_and_bolt 🔩 gear ⚙️ toolbox 🧰
magnet 🧲 test_tube 🧪 microscope 🔬 telescope 🔭 satellite 📡 key 🔑 lock 🔒
unlock 🔓 closed_lock_with_key 🔐 shield 🛡️ bomb 💣 package 📦 mailbox 📫
email ✉️ envelope ✉️ memo 📝 pencil 📝 pencil2 ✏️ page_facing_up 📄
page_with_curl 📃 scroll 📜 bar_chart 📊 chart_with_upwards_trend 📈
chart_with_downwards_trend 📉 calendar 📆 date 📅 clipboard 📋 pushpin 📌
round_pushpin 📍 paperclip 📎 scissors ✂️ file_folder 📁 open_file_folder 📂
card_index_dividers 🗂️ wastebasket 🗑️ books 📚 book 📖 open_book 📖
notebook 📓 bookmark 🔖 bookmark_tabs 📑 label 🏷️ link 🔗 newspaper 📰
loudspeaker 📢 mega 📣 bell 🔔 no_bell 🔕 mag 🔍 mag_right 🔎 hourglass ⌛
hourglass_flowing_sand ⏳ alarm_clock ⏰ stopwatch ⏱️ warning ⚠️ no_entry ⛔
no_entry_sign 🚫 x ❌ o ⭕ exclamation ❗ heavy_exclamation_mark ❗
bangbang ‼️ question ❓ grey_question ❔ recycle ♻️ white_check_mark ✅
heavy_check_mark ✔️ ballot_box_with_check ☑️
heavy_multiplication_x ✖️ 
copyright ©️ registered ®️ tm ™️ red_circle 🔴 orange_circle 🟠
yellow_circle 🟡 green_circle 🟢 large_blue_circle 🔵 blue_circle 🔵
white_circle ⚪ black_circle ⚫ arrow_up ⬆️ arrow_down ⬇️ arrow_left ⬅️
arrow_right ➡️ arrow_upper_right ↗️ arrow_lower_right ↘️
arrow_forward ▶️ fast_forward ⏩ arrows_counterclockwise 🔄 repeat 🔁
leftwards_arrow_with_hook ↩️ back 🔙 end 🔚 on 🔛 soon 🔜 top 🔝 new 🆕
free 🆓 up 🆙 cool 🆒 ok 🆗 sos 🆘 one 1️⃣ two 2️⃣ three 3️⃣ four 4️⃣
five 5️⃣ six 6️⃣ seven 7️⃣ eight 8️⃣ nine 9️⃣ zero 0️⃣ keycap_ten 🔟
checkered_flag 🏁 triangular_flag_on_post 🚩 white_flag 🏳️ speech_balloon 💬
thought_balloon 💭 bust_in_silhouette 👤 busts_in_silhouette 👥 footprints 👣
crown 👑 tophat 🎩 mortar_board 🎓 briefcase 💼 lipstick 💄 ring 💍
hatching_chick 🐣 snake 🐍 turtle 🐢 elephant 🐘 goat 🐐 whale2 🐋 dragon 🐉
crystal_ball 🔮 jigsaw 🧩 teddy_bear 🧸
"""

_EMOJI: Final[Mapping[str, str]] = dict(
    zip(_NAMES.split()[::2], _NAMES.split()[1::2], strict=True)
)

_SIGNS: Final[Mapping[str, str]] = {
    "check": "✓",
    "check-all": "✓",
    "check-bold": "✓",
    "check-circle": "✓",
    "close": "✗",
    "close-circle": "✗",
    "x": "✗",
    "xmark": "✗",
    "arrow-left": "←",
    "arrow-right": "→",
}
"""Icons that mean something, by name without set, style and size."""

_SETS: Final = (
    r"bootstrap|custom|fontawesome(?:-(?:brands|regular|solid))?|lucide|material"
    r"|octicons|phosphor|simple|tabler"
)
_ICON: Final = re.compile(
    rf":(?:{_SETS})-([a-z0-9][a-z0-9-]{{0,80}}+):(?:[ \t]*+{LIST})?+"
)
_SIZE: Final = re.compile(r"-(?:16|24|outline|fill)\Z")


def find_emoji(name: str) -> str | None:
    """Return the emoji of a name; None if it has none."""
    known = _EMOJI.get(name)
    if known is not None:
        return known
    try:
        sign = unicodedata.lookup(name.replace("_", " "))
    except KeyError:
        return None
    return sign if len(sign) == 1 and ord(sign) >= 0x1F000 else None


def _write_emoji(match: re.Match[str], output: Output) -> str:
    return find_emoji(match[1]) or match[0]


def _write_icon(match: re.Match[str], output: Output) -> str:
    sign = _SIGNS.get(_SIZE.sub("", match[1]))
    if sign:
        return f"{sign}{match[2]}{match[3]}"
    start = match.start()
    while start and match.string[start - 1] in " \t>-*+0123456789.":
        start -= 1
    is_first = not start or match.string[start - 1] == "\n"
    # Without the icon, a dash after it would begin a list.
    return "" if is_first else match[3]


EMOJI: Final = InlineRule(
    re.compile(r":(?<![\w:]:)([a-z0-9_+-]{1,60}+):(?!\w)"),
    _write_emoji,
    sign=":",
)
"""`:smile:` becomes the character."""

ICON: Final = InlineRule(
    re.compile(rf"{_ICON.pattern}([ \t]*)((?:[-\u2013\u2014][ \t]+)?)"), _write_icon
)
"""`:material-home:` is left out with its attributes and the blanks after it."""
