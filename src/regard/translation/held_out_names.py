"""Names that training never puts into sentences (`names`), so that a test can ask for them.

Their German form is the same as the English one.
"""

GIVEN = (
    "Wojciech", "Saoirse", "Ludmila", "Thandiwe", "Rodrigo", "Akiko", "Nadine", "Oluwaseun",
    "Nkechi", "Siobhan", "Benedikta", "Kwame", "Ingeborg", "Tadeusz", "Xiomara", "Yusuf",
    "Leokadia", "Priya", "Zoltan", "Aurelio", "Bronwyn", "Chidi", "Eilidh", "Gwendolyn",
)  # fmt: skip
SURNAMES = (
    "Nakamura", "Kowalczyk", "Okonkwo", "Fitzgerald", "Lindqvist", "Papadopoulos", "Rasmussen",
    "Castellano", "Grabowski", "Abernathy", "Whitlock", "Hosseini", "Mbeki", "Szymborska",
    "Vandermeer", "Thackeray", "Quintero", "Novak", "Ogilvie", "Haverford", "Delacroix",
    "Ramaswamy", "Ulyanov", "Bjornstad",
)  # fmt: skip
COMPANIES = (
    "Apple", "Siemens", "Nokia", "Bosch", "Netflix", "Airbus", "Samsung", "Lufthansa", "Spotify",
    "Ericsson", "Unilever", "Pfizer", "Lego", "Huawei", "Bayer", "Nestle", "Panasonic", "Adobe",
    "Intel", "Philips",
)  # fmt: skip
CITIES = (
    "Nairobi", "Reykjavik", "Montevideo", "Kathmandu", "Tashkent",
    "Ouagadougou", "Saskatoon", "Lubumbashi", "Gdansk", "Chattanooga",
    "Antananarivo", "Malmo", "Ljubljana", "Adelaide", "Marrakesh", "Tromso", "Guadalajara",
    "Kampala", "Ipswich",
)  # fmt: skip

HELD_OUT = frozenset((*GIVEN, *SURNAMES, *COMPANIES, *CITIES))
