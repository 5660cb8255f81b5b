"""Languages as first rows and JSON fields name them: by a code, in English, in themselves."""

# Without "id": a column of that name holds numbers more often than Indonesian.
LANGUAGES = frozenset(
    """
    ar bg bn ca cs da de el en es et fa fi fr ga gu he hi hr hu is it ja kn ko lt lv ml mr
    ms ne nl no pa pl pt ro ru sk sl sq sr sv sw ta te th tr uk ur vi zh arabic bengali
    bulgarian catalan chinese croatian czech danish dutch english estonian finnish french
    german greek gujarati hebrew hindi hungarian icelandic indonesian irish italian
    japanese kannada korean latvian lithuanian malay malayalam marathi nepali norwegian
    persian polish portuguese punjabi romanian russian serbian slovak slovenian spanish
    swahili swedish tamil telugu thai turkish ukrainian urdu vietnamese العربية বাংলা
    български català 中文 汉语 漢語 简体中文 繁體中文 hrvatski čeština český česky dansk nederlands
    eesti suomi français francais deutsch ελληνικά ગુજરાતી עברית हिन्दी हिंदी magyar
    íslenska indonesia gaeilge italiano 日本語 ಕನ್ನಡ 한국어 latviešu lietuvių melayu മലയാളം
    मराठी नेपाली norsk bokmål nynorsk فارسی polski português portugues ਪੰਜਾਬੀ română
    русский српски slovenčina slovenščina español espanol castellano kiswahili svenska
    தமிழ் తెలుగు ไทย ภาษาไทย türkçe українська اردو englisch französisch spanisch
    italienisch niederländisch russisch anglais allemand espagnol italien inglés alemán
    francés inglese tedesco francese spagnolo inglês alemão francês engels duits frans
    английский немецкий французский 英語 英语 英文 独語 德语 ドイツ語 フランス語 法语
    """.split()  # noqa: SIM905, a list of quoted words reads worse
)
