"""Names of countries and of large parts of them: somebody who lives in Germany and in Berlin did not move."""

_NAMES = """
afghanistan, africa, alabama, alaska, albania, alberta, algeria, america, amerika, andalusia, andorra, angola,
argentina, arizona, arkansas, armenia, asia, australia, austria, azerbaijan, bahrain, bangladesh, bavaria,
bayern, belarus, belgien, belgium, belize, benin, bhutan, bolivia, bosnia, botswana, brandenburg, brazil,
britain, brittany, brunei, bulgaria, burundi, california, cambodia, cameroon, canada, catalonia, chad, chile,
china, colombia, colorado, congo, connecticut, croatia, cuba, cyprus, czechia, delaware, denmark, deutschland,
dänemark, ecuador, egypt, england, eritrea, estonia, ethiopia, europa, europe, fiji, finland, finnland, florida,
france, frankreich, gabon, gambia, georgia, germany, ghana, greece, greenland, griechenland, guatemala, guinea,
guyana, haiti, hawaii, hessen, holland, honduras, hungary, iceland, idaho, illinois, india, indiana, indonesia,
iowa, iran, iraq, ireland, israel, italien, italy, jamaica, japan, jordan, kansas, kazakhstan, kentucky, kenya,
kosovo, kuwait, kyrgyzstan, kärnten, laos, latvia, lebanon, lesotho, liberia, libya, liechtenstein, lithuania,
lombardy, louisiana, luxembourg, madagascar, maine, malawi, malaysia, maldives, mali, malta, manitoba, maryland,
massachusetts, mauritania, mauritius, mexico, michigan, minnesota, mississippi, missouri, moldova, monaco,
mongolia, montana, montenegro, morocco, mozambique, myanmar, namibia, nebraska, nepal, netherlands, nevada,
nicaragua, niederlande, niedersachsen, niger, nigeria, normandy, norway, norwegen, ohio, oklahoma, oman,
ontario, oregon, pakistan, palestine, panama, paraguay, pennsylvania, peru, philippines, poland, polen,
portugal, provence, qatar, quebec, romania, russia, russland, rwanda, saarland, sachsen, samoa, saxony,
schottland, schweden, schweiz, scotland, senegal, serbia, seychelles, sicily, singapore, slovakia, slovenia,
somalia, spain, spanien, steiermark, sudan, suriname, sweden, switzerland, syria, taiwan, tajikistan, tanzania,
tennessee, texas, thailand, thüringen, tirol, togo, tunisia, turkey, turkmenistan, tuscany, türkei, uganda, uk,
ukraine, uruguay, us, usa, utah, uzbekistan, venezuela, vermont, vietnam, virginia, wales, washington,
wisconsin, wyoming, yemen, zambia, zimbabwe, österreich, new zealand, south africa, south korea, north korea,
saudi arabia, sri lanka, costa rica, el salvador, dominican republic, czech republic, ivory coast, burkina faso,
sierra leone, hong kong, united states, united kingdom, united arab emirates, northern ireland, puerto rico, new
york state, new jersey, new mexico, new hampshire, north carolina, south carolina, north dakota, south dakota,
rhode island, west virginia, british columbia, new south wales, rheinland-pfalz, baden-württemberg, schleswig-
holstein, mecklenburg-vorpommern, sachsen-anhalt, nordrhein-westfalen
"""
"""Also the states of the USA, and the German ones in German."""

REGIONS = frozenset(" ".join(name.split()) for name in _NAMES.split(","))


def is_region(name: str) -> bool:
    """Whether a name is that of a country or a large part of one, and not of a town in it."""
    return name.casefold().strip(" .,") in REGIONS
