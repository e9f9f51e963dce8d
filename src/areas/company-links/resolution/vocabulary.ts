/** The words that names of companies are made of, as the reading of names knows them: in ASCII and lower case. */

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '')

/**
 * Legal forms by class, without spaces: `spzoo` is `sp. z o.o.` too. Forms of one class are the same form in other words.
 * The forms are those of the countries in ISO 20275 (Entity Legal Forms) in which MSPs have customers.
 */
const FORMS_BY_CLASS = {
  co: 'co company cie compania compagnie',
  additions:
    'haftungsbeschrankt haftungsbeschraenkt publ unipersonal unipersonale unipessoal uninominale asociounico sti',
  inc: 'inc incorporated corp corporation',
  ltd: `ltd limited ltee limitee cyf cyfyngedig teo teoranta limitedcompany dac designatedactivitycompany clg
    companylimitedbyguarantee limitedsirketi`,
  pty: 'pvt private pte pty proprietary opc',
  llc: 'llc limitedliabilitycompany limitedliabilityco ltdliabilityco fzllc fze fzco dmcc',
  ulc: 'ulc uc unlimitedcompany unlimitedliabilitycompany unlimitedliabilitycorporation',
  pc: `pc pllc pa psc chtd professionalcorporation professionalassociation profcorp professionalservicecorporation
    professionallimitedliabilitycompany`,
  lp: 'lp limitedpartnership',
  llp: 'llp limitedliabilitypartnership plt sencrl',
  lllp: 'lllp',
  plc: 'plc publiclimitedcompany ccc cpt',
  cic: 'cic communityinterestcompany',
  cio: 'cio',
  cc: 'cc closecorporation',
  npc: 'npc nonprofitcompany',
  gmbh: `gmbh ggmbh gesmbh gesellschaftmbh gesellschaftmitbeschrankterhaftung gesellschaftmitbeschraenkterhaftung
    gemeinnutzigegmbh gemeinnuetzigegmbh`,
  mbh: 'mbh',
  ug: 'ug unternehmergesellschaft',
  ag: 'ag aktiengesellschaft',
  kg: 'kg keg kommanditgesellschaft',
  ohg: 'ohg og oeg offenehandelsgesellschaft offenegesellschaft kollektivgesellschaft',
  kgaa: 'kgaa kommanditgesellschaftaufaktien',
  gbr: 'gbr egbr gesellschaftburgerlichenrechts gesellschaftbuergerlichenrechts',
  partg: 'partg partgmbb partnerschaftsgesellschaft',
  ek: 'ek ekfm ekfr eingetragenerkaufmann eu eingetragenerunternehmer',
  ev: 'ev eingetragenerverein',
  eg: 'eg eingetragenegenossenschaft',
  sa: `sa sau sab sapi sadecv sabdecv sapidecv sociedadanonima sociedadanonimadecapitalvariable sociedadeanonima
    sociedadanonimapromotoradeinversion sociedadanonimapromotoradeinversiondecapitalvariable societeanonyme
    societateanonima societatepeactiuni spolkaakcyjna saic saci sacif sacifia`,
  sac: 'sac saa sociedadanonimacerrada sociedadanonimaabierta',
  sas: `sas sasu sasdecv societeparactionssimplifiee societeparactionssimplifieeunipersonnelle
    sociedadporaccionessimplificada`,
  sarl: 'sarl sarls sagl societearesponsabilitelimitee',
  eurl: 'eurl eirl',
  srl: `srl srls srltda sderl sderldecv sociedadderesponsabilidadlimitada
    sociedadderesponsabilidadlimitadadecapitalvariable societaaresponsabilitalimitata societatecuraspunderelimitata`,
  sl: 'sl slu slne sll slp slpu sociedadlimitada sociedadlimitadaunipersonal',
  snc: 'snc senc societeennomcollectif societainnomecollettivo',
  sca: 'sca sapa',
  scs: 'scs',
  sci: 'sci societecivileimmobiliere',
  scp: 'scp scm',
  sc: 'sc sociedadcivil spolkacywilna',
  selarl: 'selarl selarlu selas selasu selafa',
  scop: 'scop scic scea gaec gie scarl scrl cvba scoop',
  spa: 'spa sociedadporacciones societaperazioni',
  ltda: 'ltda lda limitada eireli epp ltdame ltdaepp eirelime eireliepp sociedadelimitada sociedadeporquotas',
  bv: 'bv bvba ebvba sprl besloten beslotenvennootschap beslotenvennootschapmetbeperkteaansprakelijkheid',
  nv: 'nv naamlozevennootschap',
  vof: 'vof vennootschaponderfirma',
  cv: 'cv commv gcv commanditairevennootschap',
  asbl: 'asbl aisbl',
  vzw: 'vzw ivzw',
  as: `as aktieselskab aksjeselskap anonimsirketi akciovaspolecnost akciovaspolocnost aktsiaselts
    akcijusabiedriba`,
  asa: 'asa allmennaksjeselskap',
  aps: 'aps ivs anpartsselskab ivaerksaetterselskab',
  is: 'is interessentskab',
  ks: 'ks kommanditselskab kommandittselskap',
  ans: 'ans ansvarligselskap',
  da: 'da',
  enk: 'enk nuf amba fmba smba',
  ab: 'ab aktiebolag aktiebolaget',
  hb: 'hb handelsbolag',
  kb: 'kb kommanditbolag',
  oy: 'oy oyj osakeyhtio julkinenosakeyhtio',
  ky: 'ky kommandiittiyhtio ay avoinyhtio tmi toiminimi osk osuuskunta',
  hf: 'hf ehf ohf slf einkahlutafelag hlutafelag',
  zoo: 'zoo spzoo spolkazograniczonaodpowiedzialnoscia',
  spk: 'spk spolkakomandytowa ska',
  spj: 'spj spp spolkajawna',
  sro: 'sro spolsro spolecnostsrucenimomezenym spolocnostsrucenimobmedzenym',
  vos: 'vos verejnaobchodnispolecnost',
  kft: 'kft korlatoltfelelossegutarsasag',
  zrt: 'zrt nyrt zartkoruenmukodoreszvenytarsasag',
  bt: 'bt kkt betetitarsasag',
  ooo: 'ooo tov too',
  oao: 'oao zao pao ao',
  ip: 'ip pfa',
  ood: 'ood eood',
  ad: 'ad ead',
  ae: 'ae epe ike oe ee',
  ou: 'ou osauhing mtu',
  sia: 'sia sabiedribaarierobezotuatbildibu',
  uab: 'uab uzdarojiakcinebendrove mb mazojibendrija',
  doo: 'doo jdoo drustvosogranicenomodgovornoscu druzbazomejenoodgovornostjo',
  dd: 'dd dionickodrustvo delniskadruzba',
  sdn: 'sdn sendirian',
  bhd: 'bhd berhad',
  wll: 'wll sae pjsc prjsc',
  tbk: 'tbk',
  pt: 'pt',
  kk: 'kk kabushiki kabushikikaisha kabushikigaisha',
  yk: 'yk yugenkaisha',
  gk: 'gk godokaisha',
  hoesa: 'jusikhoesa yuhanhoesa',
  aos: 'aos',
} as const

/** Classes of words that say nothing of the form by themselves, as in `Co. Ltd`. */
export const SILENT_CLASSES: ReadonlySet<string> = new Set(['co', 'additions'])

/** The class of each legal form. */
export const LEGAL_FORMS: ReadonlyMap<string, string> = new Map(
  Object.entries(FORMS_BY_CLASS).flatMap(([name, forms]) =>
    words(forms).map((form) => [form, name] as const),
  ),
)

/** The most words of a legal form, as in `S. de R. L. de C. V.`. */
export const MOST_FORM_WORDS = 9

/** Legal forms that stand before the name. */
export const LEADING_FORMS: ReadonlySet<string> = new Set(
  words(`ab oy ooo oao zao pao ao tov too ip pt kk kabushikikaisha yk gk as ev sc sci sarl sia uab tmi jusikhoesa
    yuhanhoesa`),
)

/**
 * Legal forms that are also a state, a province, a compass point, a trade or a word: `PA` is Pennsylvania, `SA` South
 * Australia, `Spa` a spa. Between dots, or together with another form as below, they are a form alone.
 */
export const UNSURE_FORMS: ReadonlySet<string> = new Set(
  words('ab ad ae cc co ee eu ev ike ip ks ky mb nv oe og pa pt sa sc sci se spa teo too uc'),
)

/**
 * Forms of two letters that stand before another form, or with one at the other end of the name. Any other word of two
 * letters before a form is part of the name: `SC` in `SC LLC` is South Carolina.
 */
export const FORM_PAIRS: ReadonlySet<string> = new Set(
  `co kg, co kgaa, co ohg, co og, co ltd, co pty, co pte, co pvt, ag co, ug co, se co, sa co, oy ab, ab oy, sa nv, nv sa,
  bv srl, bv sprl, ab publ, sa spk, ug haftungsbeschrankt, ug haftungsbeschraenkt, as sti, sa unipersonal, oy … ab,
  sc … srl, sc … sa, pt … tbk`.split(/,\s+/),
)

/** Legal forms in other scripts. */
export const LEGAL_PHRASES: readonly (readonly [RegExp, string])[] = [
  [/株式会社|\(株\)/gu, ' kk '],
  [/有限会社|\(有\)/gu, ' yk '],
  [/合同会社/gu, ' gk '],
  [/(?:股份)?有限公司|有限责任公司/gu, ' ltd '],
  [/주식회사|\(주\)/gu, ' jusikhoesa '],
  [/유한회사|\(유\)/gu, ' yuhanhoesa '],
  [/בע["״'׳]{0,2}מ/gu, ' ltd '],
]

/** Words that say and. */
export const CONJUNCTIONS: ReadonlySet<string> = new Set(words('and und y et e och og ja en i'))

const byWord = (entries: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(entries).flatMap(([word, others]) => words(others).map((other) => [other, word] as const)),
  )

/** Abbreviations, and words that are written in several ways, with their spelling. */
export const SPELLINGS: ReadonlyMap<string, string> = byWord({
  international: 'intl internat',
  national: 'natl',
  manufacturing: 'mfg mfrg manuf',
  manufacturer: 'mfr',
  associates: 'assoc assocs',
  association: 'assn',
  department: 'dept dpt',
  university: 'univ uni',
  services: 'svc svcs serv servs svs',
  brothers: 'bros bro',
  medical: 'med',
  center: 'ctr cntr centre cent',
  construction: 'constr const constn',
  management: 'mgmt mgt mngmt',
  technology: 'tech',
  distribution: 'dist distrib',
  hospital: 'hosp',
  fort: 'ft',
  mount: 'mt',
  american: 'amer',
  elementary: 'elem',
  government: 'govt gov',
  engineering: 'engr eng engrg',
  property: 'prop props',
  environmental: 'env envir environ',
  financial: 'fin finl fincl',
  insurance: 'ins insur',
  electrical: 'elec electr',
  group: 'grp',
  community: 'comm cmty',
  county: 'cnty',
  district: 'distr',
  systems: 'sys syst',
  solutions: 'soln solns',
  industries: 'ind inds',
  products: 'prod prods',
  equipment: 'equip eqpt',
  school: 'sch',
  church: 'ch',
  street: 'str',
  avenue: 'ave',
  road: 'rd',
  boulevard: 'blvd',
  transportation: 'transp',
  development: 'dev devel',
  communications: 'commun',
  enterprises: 'ent entp',
  incorporation: 'incorp',
  agency: 'agcy',
  federal: 'fed',
  foundation: 'fdn fndn',
  institute: 'inst',
  committee: 'cmte',
  consulting: 'conslt',
  contracting: 'contr',
  dentistry: 'dent',
  partners: 'ptnrs prtnrs',
  holdings: 'hldgs hldg',
  investments: 'invest invst',
  realty: 'rlty',
  supply: 'sply',
  veterinary: 'vet',
  accounting: 'acctg',
  attorneys: 'atty attys',
  builders: 'bldrs',
  building: 'bldg',
  commercial: 'coml',
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
})

/** Other forms of words of trades and institutions, such as their singular: names that differ in one may be two companies. */
export const VARIANTS: ReadonlyMap<string, string> = byWord({
  manufacturing: 'manufacture',
  associates: 'associate associated',
  services: 'service',
  brothers: 'brother',
  technology: 'techs technologies techno',
  property: 'properties',
  electrical: 'electric',
  group: 'groupe grupo gruppo gruppe',
  systems: 'system',
  solutions: 'solution',
  industries: 'industry',
  products: 'product',
  laboratory: 'lab labs laboratories',
  communications: 'communication',
  enterprises: 'enterprise',
  contractors: 'contractor',
  veterinary: 'vets',
  partners: 'partner',
  holdings: 'holding',
  investments: 'investment',
  attorneys: 'attorney',
  builders: 'builder',
  offices: 'office',
})

/**
 * Words of trades and institutions, in their one spelling. They tell little of which company it is, and a word that is
 * one but for a typing slip is taken for it.
 */
export const GENERIC: ReadonlySet<string> = new Set([
  ...[...SPELLINGS.values(), ...VARIANTS.values()].filter(
    (word) => !/^\d|(?:first|second|third|fourth|fifth)$/.test(word),
  ),
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
