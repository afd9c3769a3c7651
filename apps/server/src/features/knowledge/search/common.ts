/**
 * Words that are common in any topic. A few hundred chunks do not show how common they are ("twice" may occur in only
 * one), so they are listed here and get little weight.
 */
const common: Record<string, string> = {
  english: `able about above accident across add after again against ago ahead all almost alone along already also although always
    among another any anymore apart around arrive ask away back bad become been before begin behind believe below best better
    between beyond big both bring brought build call came care case certain change check choose clear come complete consider
    correct couple course current cut day days deal decide depend different difficult directly do done down during each early
    easy either else end enough entire especially even ever every everyone exact example except expect extra face fact fairly
    far fast feel few final first five follow four front full further general give given glad go good great group guess
    half hand happy hard hardly hear held hence high him his hold home hope hour however hundred idea if immediately important
    include instead interest into issue item it its itself keep kept kind knew large last late later latest latter least leave left
    less little live local long longer lot low main make many matter maybe mean meanwhile meant mention mind minute moment month more
    most mostly move much my name near nearly necessary never new next nice night no none normal normally not note number
    occur of often old once one only onto open other otherwise ought out outside over own part particular past people per perhaps
    person piece place plan please plenty point possible present pretty previous probably proper quite rather reach ready real reason
    receive recent recently regard remain rest result run same saw say second seem seen set seven several short should show side
    simple simply since single six small so some sometimes soon spend stand start state stay step still stop straight such suddenly
    supposed ten than that third though thousand three through thus time times today together tomorrow tonight too took total
    totally towards true turn twice two type typical under unless until up upon usual usually various very via wait walk
    week weeks went whatever when where whether which while who whole whose why will wish with within without word world
    worry worse worst worth write year years yes yesterday yet young bought sent happen something wrong problem thing got gets
    supposedly apparently obviously literally honestly unfortunately sadly luckily myself yourself bring sit sits sitting weighs`,
  german: `ab abend aber alle allein allem allen aller alles als also alt alte alten altes am an andere anderen anderer anderes
    anfang angeblich art auch auf aus außer außerdem bald bei beide beiden beim bein beispiel bekannt bereits besonders besser best
    bestimmt bis bisher bitte bleiben bleibt brauch bringen bringt da dabei dadurch dafür dagegen daher dahin damals damit danach
    daneben dann daran darauf daraus darin darum darunter davon davor dazu denken denkt dennoch deshalb dessen dies direkt doch dort
    drei dritte dritter drin durch ebenfalls ecke egal eher eigene eigenen eigentlich einige einigen einmal einzeln einzige ende
    endlich entweder erst erste ersten etwa etwas extra fahren fahre fährt fall falls fast fehlt fertig folgende früh früher fünf für
    ganz ganze ganzen gar gebe gegen gehört genug gerade gestern gesamt gesagt glaube gleich gleiche gleichen groß große
    großen grund gut gute guten halb halben hält hand hast hatten hätte hatte häufig heißt heute hier hin hinten hinter holen holt hoch
    insgesamt irgend jahr jahre jahren je jede jedem jeden jeder jedes jedoch kaum kein keine keinen kennen kennt klar klein kleine
    kleiner komplett kommen könnte kurz lang länger lass lassen läuft leider leicht letzte letzten letzter lieber liegen liege liegt links
    los machen mal manche manchmal mehr mehrere meist meisten mensch menschen mindestens minute minuten mit mittlerweile moment
    monat monate monaten morgen müssen nach nachdem nächste nächsten name nämlich neben nehmen nehmt nein neu neue neuen nicht nichts nie
    niemand noch normal normalerweise nun nur ob oben oder oft ohne ok ort paar passt passen person plötzlich rechts richtig rum rund
    sagen schlecht schnell schon schwer sechs seit seite selbst selten setzen sicher sieben sitzt sitzen sobald sofort sogar
    solange solche sonst spät später stand statt stehen steht stelle stellen stellt stück stunde stunden tag tage tagen teil teile
    tipp toll tragen trotz trotzdem tun über überall übrigens uhr um unbedingt und ungefähr unten unter unterwegs versehen versuche versucht
    viele vier vielleicht voll völlig vom von vor vorbei vorher vorne warten wäre weg wegen weil weit weiter weitere weiterhin weniger wenn
    werde werden wieder wirklich wirst woche wochen wohl wohnen wohne wohnt worden wurde zehn zeit ziemlich zu zuerst zum zur zurück
    zusammen zwar zwei zweimal zweite zwischen kriege hole gehabt gemacht gewesen geworden genommen gekommen gegangen rein raus runter
    weiss stimmt klappt klappen wollte grad dran drauf hinter vergangenen leute`,
};

const lists = new Map(Object.entries(common).map(([config, words]) => [config, new Set(words.split(/\s+/))] as const));

export const isCommon = (config: string | null, token: string): boolean =>
  config !== null && lists.get(config)?.has(token) === true;
