/**
 * Well-known providers of disposable email addresses. From https://github.com/disposable-email-domains/disposable-email-domains
 * (CC0), as of 2026-08-21: those that were on it in 2014 and still are, and some large newer ones. The full list has 8,335
 * entries, most of them short-lived; deployments can add more with SIGN_UP_BLOCKED_DOMAINS.
 */
export const disposableDomains: ReadonlySet<string> = new Set(
  `
0-mail.com 0815.ru 0clickemail.com 0wnd.net 0wnd.org 10mail.org 10minutemail.com 1secmail.com 20minutemail.com
2prong.com 30minutemail.com 3d-painting.com 4warding.com 4warding.net 4warding.org 60minutemail.com 675hosting.com
675hosting.net 675hosting.org 6paq.com 6url.com 75hosting.com 75hosting.net 75hosting.org 7tags.com 9ox.net a-bc.net
afrobacon.com ajaxapp.net amilegit.com amiri.net amiriindustries.com anonbox.net anonymbox.com antispam.de armyspy.com
azmeil.tk beefmilk.com binkmail.com bio-muesli.net bobmail.info bofthew.com bootybay.de boun.cr bouncr.com
brefmail.com broadbandninja.com bsnow.net bugmenot.com bumpymail.com casualdx.com centermail.com centermail.net
chogmail.com choicemail1.com consumerriot.com cosmorph.com courriel.fr.nf courrieltemporaire.com crazymailing.com
cubiclink.com curryworld.de cust.in cuvox.de dacoolest.com dandikmail.com dayrep.com deadaddress.com deadspam.com
despam.it despammed.com devnullmail.com digitalsanctuary.com discardmail.com discardmail.de disposableaddress.com
disposableemailaddresses.com disposeamail.com disposemail.com dispostable.com dodgeit.com dodgit.com dodgit.org
doiea.com donemail.ru dontreg.com dontsendmespam.de drdrb.com drdrb.net dropmail.me dump-email.info dumpandjunk.com
dumpmail.de dumpyemail.com e4ward.com easytrashmail.com einrot.com email60.com emaildienst.de emailfake.com
emailias.com emailigo.de emailinfive.com emailmiser.com emailondeck.com emailsensei.com emailtemporario.com.br
emailto.de emailwarden.com emailxfer.com emeil.in emeil.ir emz.net enterto.com ephemail.net etranquil.com
etranquil.net etranquil.org evopo.com explodemail.com fakeinbox.com fakeinformation.com fakemail.net fansworldwide.de
fastacura.com fastchevy.com fastchrysler.com fastkawasaki.com fastmazda.com fastmitsubishi.com fastnissan.com
fastsubaru.com fastsuzuki.com fasttoyota.com fastyamaha.com filzmail.com fixmail.tk fizmail.com fleckens.hu
fr33mail.info frapmail.com front14.org fux0ringduh.com garliclife.com gelitik.in get1mail.com get2mail.fr
getairmail.com getnada.com getonemail.com getonemail.net ghosttexter.de girlsundertheinfluence.com gishpuppy.com
goemailgo.com gowikibooks.com gowikicampus.com gowikicars.com gowikifilms.com gowikigames.com gowikimusic.com
gowikinetwork.com gowikitravel.com gowikitv.com great-host.in greensloth.com grr.la gsrv.co.uk guerillamail.biz
guerillamail.com guerillamail.net guerillamail.org guerrillamail.biz guerrillamail.com guerrillamail.de
guerrillamail.net guerrillamail.org guerrillamailblock.com gustr.com h8s.org haltospam.com harakirimail.com
hatespam.org hidemail.de hidzz.com hochsitze.com hotpop.com hulapla.de ieatspam.eu ieatspam.info ieh-mail.de
ihateyoualot.info iheartspam.org imails.info inbax.tk inbox.si inboxalias.com inboxclean.com inboxclean.org
inboxkitten.com incognitomail.com incognitomail.net incognitomail.org insorg-mail.info ipoo.org irish2me.com
jetable.com jetable.fr.nf jetable.net jetable.org jnxjn.com jourrapide.com junk1e.com kasmail.com kaspop.com
keepmymail.com killmail.com killmail.net klassmaster.com klassmaster.net klzlk.com koszmail.pl kulturbetrieb.info
kurzepost.de letthemeatspam.com lhsdv.com lifebyfood.com link2mail.net litedrop.com lookugly.com lortemail.dk lr78.com
m4ilweb.info maboard.com mail-temporaire.fr mail.by mail.tm mail2rss.org mail333.com mail4trash.com mailbidon.com
mailblocks.com mailcatch.com maildrop.cc maileater.com mailexpire.com mailfa.tk mailfreeonline.com mailimate.com
mailin8r.com mailinater.com mailinator.com mailinator.net mailinator2.com mailincubator.com mailismagic.com mailme.ir
mailme.lv mailmetrash.com mailmoat.com mailnator.com mailnesia.com mailnull.com mailpoof.com mailshell.com
mailsiphon.com mailslite.com mailtemp.info mailtothis.com mailzilla.com mailzilla.org mbx.cc meinspamschutz.de
meltmail.com messagebeamer.de mierdamail.com mintemail.com minuteinbox.com mjukglass.nu moakt.com moburl.com
mohmal.com moncourrier.fr.nf monemail.fr.nf monmail.fr.nf monumentmail.com mt2009.com mt2014.com mycleaninbox.net
mypartyclip.de myphantomemail.com myspaceinc.com myspaceinc.net myspaceinc.org myspacepimpedup.com myspamless.com
mytempemail.com mytrashmail.com neomailbox.com nepwk.com nervmich.net nervtmich.net netmails.com netmails.net
netzidiot.de no-spam.ws nobulk.com noclickemail.com nogmailspam.info nomail2me.com nomorespamemails.com nospam4.us
nospamfor.us nospamthanks.info notmailinator.com nowmymail.com nurfuerspam.de nwldx.com objectmail.com obobbo.com
odaymail.com oneoffemail.com onewaymail.com online.ms oopi.org opayq.com ordinaryamerican.net otherinbox.com
ourklips.com outlawspam.com ovpn.to owlpic.com pancakemail.com pimpedupmyspace.com pjjkp.com plexolan.de
politikerclub.de poofy.org pookmail.com privacy.net privymail.de proxymail.eu prtnx.com punkass.com
putthisinyourspamdatabase.com quickinbox.com rcpt.at reallymymail.com recode.me regbypass.com rejectmail.com rhyta.com
rklips.com rmqkr.net rppkn.com rtrtr.com s0ny.net safersignup.de safetymail.info safetypost.de sandelf.de
saynotospams.com selfdestructingmail.com selfdestructingmail.org sendspamhere.com sharklasers.com shieldedmail.com
shiftmail.com shitmail.me shortmail.net skeefmail.com slaskpost.se slopsbox.com slushmail.com smashmail.de
smellfear.com snakemail.com sofimail.com sofort-mail.de sogetthis.com soodonims.com spam.la spam.su spam4.me
spamavert.com spambob.com spambob.net spambob.org spambog.com spambog.de spambog.net spambog.ru spambox.info
spambox.us spamcero.com spamcon.org spamcorptastic.com spamcowboy.com spamcowboy.net spamcowboy.org spamday.com
spamex.com spamfree.eu spamfree24.com spamfree24.de spamfree24.eu spamfree24.info spamfree24.net spamfree24.org
spamgoes.in spamherelots.com spamhereplease.com spamhole.com spamify.com spaminator.de spamkill.info spaml.com
spaml.de spammotel.com spamobox.com spamoff.de spamslicer.com spamspot.com spamthis.co.uk spamthisplease.com
spamtrail.com squizzy.de supergreatmail.com supermailer.jp superrito.com suremail.info tagyourself.com teewars.org
teleworm.com teleworm.us temp-mail.org tempail.com tempalias.com tempe-mail.com tempemail.biz tempemail.com
tempemail.net tempinbox.co.uk tempinbox.com tempmail.it tempmail2.com tempmailo.com tempomail.fr temporarily.de
temporarioemail.com.br temporaryemail.net temporaryforwarding.com temporaryinbox.com tempr.email tempymail.com
thanksnospam.info thankyou2010.com thisisnotmyrealemail.com throwawayemailaddress.com throwawaymail.com tilien.com
tmailinator.com tmpmail.net tmpmail.org toiea.com tradermail.info trash-amil.com trash-mail.at trash-mail.com
trash-mail.de trash2009.com trashemail.de trashmail.at trashmail.com trashmail.de trashmail.me trashmail.net
trashmail.org trashmail.ws trashmailer.com trashymail.com trashymail.net trbvm.com trillianpro.com turual.com
twinmail.de tyldd.com uggsrock.com upliftnow.com uplipht.com venompen.com veryrealemail.com vidchart.com viditag.com
viewcastmedia.com viewcastmedia.net viewcastmedia.org webm4il.info wegwerfadresse.de wegwerfemail.de wegwerfmail.de
wegwerfmail.net wegwerfmail.org wetrainbayarea.com wetrainbayarea.org wh4f.org whatiaas.com whatpaas.com whyspam.me
willselfdestruct.com winemaven.info wronghead.com wuzup.net wuzupmail.net wwwnew.eu xagloo.com xemaps.com xents.com
xmaily.com yep.it yogamaven.com yopmail.com yopmail.fr yopmail.net yuurok.com zehnminutenmail.de zippymail.info
zoaxe.com zoemail.com zoemail.org
`
    .trim()
    .split(/\s+/),
);
