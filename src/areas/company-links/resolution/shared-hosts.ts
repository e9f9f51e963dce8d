/** Hosts that many companies share, beside the mail hosts of `email-providers`. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Mail hosts that have their name in many countries, as `yahoo.nl`. */
export const MAIL_LABELS = words(
  'aol fastmail gmail gmx googlemail hotmail icloud live msn outlook proton protonmail tuta tutanota tutamail yahoo yandex ymail zoho zohomail',
)

/** Mail hosts of Internet providers and others. */
export const MAIL_HOSTS = words(`
  ziggo.nl xs4all.nl upcmail.nl upc.nl casema.nl quicknet.nl kpnplanet.nl kpn.nl online.nl solcon.nl telfort.nl
  telfortglasvezel.nl tele2.nl versatel.nl scarlet.nl caiway.nl caiway.net zeelandnet.nl freedom.nl xmsnet.nl
  vodafone.nl vodafonethuis.nl onsbrabantnet.nl wxs.nl hccnet.nl multiweb.nl deltanl.nl kabelfoon.nl tiscali.nl
  proximus.be scarlet.be brutele.be belgacom.net edpnet.be pandora.be base.be hispeed.ch sunrise.ch swissonline.ch
  quickline.ch freesurf.ch green.ch hin.ch vtxnet.ch vodafone.de unitybox.de 1und1.de ewetel.net ewe.net
  netcologne.de osnanet.de posteo.de magenta.de alice.de o2online.de versanet.de htp-tel.de a1.net aon.at chello.at
  inode.at utanet.at tele2.at drei.at kabsi.at liwest.at eunet.at bbox.fr numericable.fr bouyguestelecom.fr tim.it
  fastwebnet.it pec.it aruba.it vodafone.it legalmail.it arubapec.it telefonica.net movistar.es ono.com ya.com
  vodafone.es orange.es euskaltel.net iol.pt netcabo.pt meo.pt nos.pt clix.pt telepac.pt telia.com tele2.se
  bredband.net comhem.se bahnhof.se passagen.se telenor.se swipnet.se ownit.nu online.no broadpark.no getmail.no
  lyse.net altibox.no start.no tdcadsl.dk tdc.dk mail.dk stofanet.dk webspeed.dk jubii.dk youmail.dk kolumbus.fi
  elisanet.fi saunalahti.fi inet.fi welho.com dnainternet.net netti.fi suomi24.fi simnet.is op.pl tlen.pl vp.pl
  interia.eu onet.eu neostrada.pl volny.cz atlas.cz tiscali.cz o2active.cz azet.sk zoznam.sk citromail.hu upcmail.hu
  vipmail.hu indamail.hu mail.bg dir.bg otenet.gr hol.gr inbox.lt one.lt siol.net t-2.net net.hr t-com.hr inet.hr
  plus.com plusnet.com plus.net force9.co.uk lineone.net zen.co.uk supanet.com onetel.com eclipse.co.uk demon.co.uk
  ee.co.uk waitrose.com madasafish.com uwclub.net eir.ie iol.ie indigo.ie vodafone.ie virginmedia.ie xfinity.com
  spectrum.net brighthouse.com suddenlink.net sparklight.net mediacombb.net consolidated.net cincinnatibell.net
  metrocast.net nvbell.net flash.net eastlink.ca sasktel.net mts.net mymts.net teksavvy.com bellaliant.net bell.ca
  primus.ca accesscomm.ca tbaytel.net xplornet.com xplornet.ca globetrotter.net optusnet.com adam.com.au aapt.net.au
  exetel.com.au aussiebroadband.com.au slingshot.co.nz orcon.net.nz vodafone.co.nz clear.net.nz ihug.co.nz
  paradise.net.nz snap.net.nz inspire.net.nz actrix.co.nz telkomsa.net mweb.co.za vodamail.co.za iafrica.com
  absamail.co.za lantic.net cybersmart.co.za duck.com startmail.com mailfence.com disroot.org riseup.net mozmail.com
  simplelogin.com anonaddy.com skiff.com infinitummail.com starhub.net.sg pacific.net.sg netvigator.com etisalat.ae
  emirates.net.ae eim.ae bezeqint.net 012.net.il ttmail.com mynet.com superonline.com nifty.com ocn.ne.jp
  so-net.ne.jp tele.dk appleid.com firefox.com`)

/** Hosts of public services, files, profiles and directories: no customer has a name of its own there. */
export const SHARED_HOSTS = words(`
  nhs.net hscni.net hse.ie state.gov
  microsoft.com office.com office365.com windows.net google.com goo.gl forms.gle apple.com dropbox.com box.com
  wetransfer.com adobe.com notion.so
  facebook.com fb.com fb.me m.me instagram.com linkedin.com lnkd.in twitter.com x.com t.co tiktok.com youtube.com
  youtu.be pinterest.com xing.com whatsapp.com wa.me threads.net reddit.com yelp.com nextdoor.com tripadvisor.com
  yellowpages.com angi.com houzz.com booking.com opentable.com doordash.com amazon.com ebay.com etsy.com paypal.com
  linktr.ee linktree.com bit.ly tinyurl.com about.me beacons.ai calendly.com eventbrite.com mailchimp.com
  example.com example.org example.net`)

/**
 * Hosts that give each customer a name of its own below theirs, and that the public suffix list has not as such. The host
 * itself is nobody's.
 */
export const TENANT_HOSTS = words(`
  onmicrosoft.com onmicrosoft.us onmicrosoft.de onmschina.cn sharepoint.com sharepoint.us sharepoint.de sharepoint.cn
  wix.com squarespace.com weebly.com weeblysite.com shopify.com godaddysites.com business.site webnode.com jimdo.com
  jimdosite.com jimdofree.com wordpress.com tumblr.com strikingly.com webador.com homestead.com bigcartel.com
  mybigcommerce.com yolasite.com ueniweb.com zohosites.com ning.com
  zendesk.com freshdesk.com freshservice.com atlassian.net salesforce.com force.com hubspot.com hubspotpagebuilder.com
  act.gov.au nsw.gov.au nt.gov.au qld.gov.au sa.gov.au tas.gov.au vic.gov.au wa.gov.au gc.ca gov.on.ca gov.bc.ca gov.ab.ca`)

/** Hosts of a state, below which its agencies, counties and schools have theirs. */
export const STATE_HOST = /^[a-z]{2}\.gov$/
