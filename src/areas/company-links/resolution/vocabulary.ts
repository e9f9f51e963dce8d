/** The words that names of companies are made of, as the reading of names knows them: in ASCII and lower case. */

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '')

/**
 * Legal forms, by word. Forms of one class are the same form in other words. null: it says nothing by itself, as in
 * `Co. Ltd`.
 */
export const LEGAL_FORMS: ReadonlyMap<string, string | null> = new Map([
  ...words('inc incorporated corp corporation').map((word) => [word, 'inc'] as const),
  ...words('ltd limited').map((word) => [word, 'ltd'] as const),
  ...words('co company cie compania compagnie').map((word) => [word, null] as const),
  ...words('pvt private pte pty proprietary').map((word) => [word, 'pty'] as const),
  ...words('as a/s aktieselskab aksjeselskap').map((word) => [word, 'as'] as const),
  ...words('ab aktiebolag').map((word) => [word, 'ab'] as const),
  ...words('ag aktiengesellschaft').map((word) => [word, 'ag'] as const),
  ...words('oy oyj osakeyhtio').map((word) => [word, 'oy'] as const),
  ...words('kk kabushiki').map((word) => [word, 'kk'] as const),
  ...words('pc pllc pa').map((word) => [word, 'pc'] as const),
  ...words(
    `llc lp llp lllp plc gmbh mbh ug ohg gbr kg kgaa ek ev eg sa sas sasu sarl eurl snc sca sci srl spa sapa srls sl slu
    slne sc scp ltda lda eireli epp bv nv vof cv bvba sprl asbl vzw hb kb aps is ks asa ans da tov too ooo oao zao pao ao ip
    doo dd ad ood eood kft zrt nyrt bt sro vos zoo spzoo spk spj sia uab ou sdn bhd tbk pt cv se yk gk jusikhoesa hf ehf
    cic cio bhd sae wll fze fzco fzllc aos ltee`,
  ).map((word) => [word, word] as const),
])

/** Legal forms that stand before the name. */
export const LEADING_FORMS: ReadonlySet<string> = new Set(
  words('ab oy ooo oao zao pao ao tov too ip pt kk yk gk as ev sc sci sarl jusikhoesa'),
)

/** Legal forms of several words, and in other scripts. */
export const LEGAL_PHRASES: readonly (readonly [RegExp, string])[] = [
  [/株式会社|\(株\)/gu, ' kk '],
  [/有限会社|\(有\)/gu, ' yk '],
  [/合同会社/gu, ' gk '],
  [/(?:股份)?有限公司|有限责任公司/gu, ' ltd '],
  [/주식회사|\(주\)/gu, ' jusikhoesa '],
  [/\blimited liability company\b/giu, ' llc '],
  [/\blimited liability partnership\b/giu, ' llp '],
  [/\bpublic limited company\b/giu, ' plc '],
  [/\bsp\.?\s*z\s*o\.?\s*o\.?(?!\p{L})/giu, ' spzoo '],
  [/\bs\.?\s*a\.?\s*de\s*c\.?\s*v\.?(?!\p{L})/giu, ' sa '],
  [/\bspol\.?\s*s\.?\s*r\.?\s*o\.?(?!\p{L})/giu, ' sro '],
  [/\bgesellschaft mit beschränkter haftung\b/giu, ' gmbh '],
  [/\bsociedad an[oó]nima\b/giu, ' sa '],
  [/\bsociedad limitada\b/giu, ' sl '],
  [/\bbesloten vennootschap\b/giu, ' bv '],
  [/\bkabushiki kaisha\b/giu, ' kk '],
]

/** Words that say and. */
export const CONJUNCTIONS: ReadonlySet<string> = new Set(words('and und y et e och og ja en i'))

/** One spelling of words that are written in several ways. */
export const SPELLINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    international: 'intl internat',
    national: 'natl',
    manufacturing: 'mfg mfrg manuf manufacture',
    manufacturer: 'mfr',
    associates: 'assoc assocs associate associated',
    association: 'assn',
    department: 'dept dpt',
    university: 'univ uni',
    services: 'svc svcs serv servs service svs',
    brothers: 'bros bro brother',
    medical: 'med',
    center: 'ctr cntr centre cent',
    construction: 'constr const constn',
    management: 'mgmt mgt mngmt',
    technology: 'tech techs technologies techno',
    distribution: 'dist distrib',
    hospital: 'hosp',
    fort: 'ft',
    mount: 'mt',
    american: 'amer',
    elementary: 'elem',
    government: 'govt gov',
    engineering: 'engr eng engrg',
    property: 'prop props properties',
    environmental: 'env envir environ',
    financial: 'fin finl fincl',
    insurance: 'ins insur',
    electrical: 'elec electr electric',
    group: 'grp groupe grupo gruppo gruppe',
    community: 'comm cmty',
    county: 'cnty',
    district: 'distr',
    systems: 'sys system syst',
    solutions: 'soln solns solution',
    industries: 'ind inds industry',
    products: 'prod prods product',
    equipment: 'equip eqpt',
    laboratory: 'lab labs laboratories',
    school: 'sch',
    church: 'ch',
    street: 'str',
    avenue: 'ave',
    road: 'rd',
    boulevard: 'blvd',
    transportation: 'transp',
    development: 'dev devel',
    communications: 'commun communication',
    enterprises: 'ent entp enterprise',
    incorporation: 'incorp',
    agency: 'agcy',
    federal: 'fed',
    foundation: 'fdn fndn',
    institute: 'inst',
    committee: 'cmte',
    consulting: 'conslt',
    contracting: 'contr',
    contractors: 'contractor',
    dentistry: 'dent',
    partners: 'partner ptnrs prtnrs',
    holdings: 'holding hldgs hldg',
    investments: 'investment invest invst',
    realty: 'rlty',
    supply: 'sply',
    veterinary: 'vet vets',
    accounting: 'acctg',
    attorneys: 'atty attys attorney',
    builders: 'bldrs builder',
    building: 'bldg',
    commercial: 'coml',
    offices: 'office',
    labor: 'labour',
    color: 'colour',
    harbor: 'harbour',
    '1': 'one',
    '2': 'two',
    '3': 'three',
    '4': 'four',
    '5': 'five',
    '6': 'six',
    '7': 'seven',
    '8': 'eight',
    '9': 'nine',
    '10': 'ten',
    '1st': 'first',
    '2nd': 'second',
    '3rd': 'third',
    '4th': 'fourth',
    '5th': 'fifth',
  }).flatMap(([spelling, others]) => words(others).map((other) => [other, spelling] as const)),
)

/**
 * Words of trades and institutions, in their one spelling. They tell little of which company it is, and a word that is
 * one but for a typing slip is taken for it.
 */
export const GENERIC: ReadonlySet<string> = new Set([
  ...[...SPELLINGS.values()].filter((word) => !/^\d|(?:first|second|third|fourth|fifth)$/.test(word)),
  ...words(
    `academy accountants accountancy advertising advisers advisors agriculture agricultural agency air allergy analytics
    animal apartments appliance architects architecture auto automation automotive aviation bakery bank bar bistro boats body
    books brewery builders cafe capital cardiology care carpentry cars catering chemical chemicals chiropractic church city
    cleaning clinic clothing coffee college company computing computers concrete conditioning consultants consulting
    contractors cooling cooperative couriers credit dairy data deli demolition dental dentistry dermatology design digital
    diner distributors education electric electronics energy engineers entertainment equipment events excavating express
    family farm farms fashion fencing film films finance fitness flooring florist food foods forwarding freight furniture
    garage garden gardens glass grill grocers gym hardware haulage health healthcare heating home homes hospitality hotel
    hvac imaging import imports infrastructure inn institute interiors jewelers jewellers joinery kitchen kitchens landscape
    landscaping law lawyers leasing legal library lighting lodge logistics machine machinery maintenance marine marketing
    masonry materials mechanical media medicine metal metals ministries mortgage motel motors movers moving museum music
    notaries nursery nursing opticians optical optometry orthodontics orthopedics orthopaedics packaging painting paper
    parish parks paving payroll pediatrics pediatric pharmaceutical pharmaceuticals pharmacy photo photography physicians
    physio physiotherapy pictures planning plastics plumbing podiatry police pools practice preschool press print printers
    printing production productions psychiatry psychology publishing radiology real recovery recruitment recycling rehab
    rehabilitation remodeling removals rental rentals repair repairs residential restaurant restaurants retail roofing
    salon schools science sciences seafood securities security seed shipping shop signs society software solar solicitors
    specialists spirits sports staffing steel storage store stores structures studio studios suites surgery surgical
    surveyors tax tailors telecom textiles theater theatre therapy tile tools tours towing town toys training transport
    travel trucking union urology vineyards warehouse waste water wealth wellness wholesale wines winery wireless works
    yachts consultancy productions diagnostics plumbers roofers cosmetics estate publishers catering veterinarians
    abogados advokat agencia anwalt apotheke architekten arkitekter arquitectos autohaus avocats backerei bau bouw bygg
    clinica construccion construcciones consultores dentaire elektro elektrotechnik farmacia garage immobilien ingenieria
    ingenieros installaties kanzlei klinik maschinenbau menuiserie metallbau notaria optik pharmacie plomberie praxis
    rechtsanwalte servicios servizi software spedition steuerberater steuerberatung taller transportes transporte treuhand
    verwaltung werkstatt weingut zahnarzt`,
  ),
])

/** A word more of these makes it another company, or none: a holding, a foundation, a test. */
export const SEPARATE: ReadonlySet<string> = new Set(
  words(
    `group holdings foundation trust charity ventures capital properties property realty investments development supply
    preschool daycare estate partnership fund funds subsidiary beteiligungs verwaltungs verwaltung verwaltungsgesellschaft
    holding test testing demo sandbox staging trial poc internal training lab laboratory dev uat template sample
    police fire north south east west northeast northwest southeast southwest central nord sud ost norte sur este oeste
    uk usa us canada ireland mexico europe emea apac asia global international france germany australia`,
  ),
)

/** Names of no company: a name of these words alone is never matched. */
export const PLACEHOLDERS: ReadonlySet<string> = new Set(
  words(
    `default unassigned unknown none null na test testing demo sandbox staging trial internal new customer client company
    site location tenant organization organisation account main office offices group sample template example misc other
    stock spare loan kit devices lab laboratory shared general temp temporary department head 1 2 3`,
  ),
)

/** Words after a dash or in brackets that say how the MSP serves the customer. */
export const PLANS: ReadonlySet<string> = new Set(
  words(
    'managed comanaged co-managed msp ayce breakfix break-fix active client customer prospect vip gold silver bronze contract',
  ),
)

/** Words in brackets, or after zz, of a customer that is none any more. */
export const OVER: ReadonlySet<string> = new Set(
  words(
    'old inactive former closed terminated lost offboarded archived disabled cancelled canceled deleted dnu',
  ),
)
