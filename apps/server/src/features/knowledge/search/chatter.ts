import { editsBetween } from './alike.ts';

/** Greetings and filler words that say nothing about the topic. Stop words are not listed: PostgreSQL knows them. */
const chatter: Record<string, string> = {
  english: `hi hello hey hiya dear good morning afternoon evening please thanks thank thx pls plz cheers regards kindly
    could would can may might shall tell know knows want wants wanted wanna need needs needed like get gets getting got
    give gives gave let lets help helps helping question questions ask asking asked wonder wondering possible possibly
    able way ways anyone anybody someone somebody something anything everything ok okay oh sorry excuse quick quickly just really actually
    basically understand explain explains see look looking think thought guess hope trying try tried tries am im ive id ill dont
    doesnt didnt cant isnt wont hows whats wheres whos theres thats youre anyway still also even maybe perhaps happen happens happened
    happening exactly information info details detail tips find finds found use using used make makes making
    much many long often soon go going goes gone come comes take takes say says said mean means sure right now today
    keep keeps kept put puts have having us one ones thing things stuff lot lots bit kind sort guys team folks mate
    already yet ever never always every`,
  german: `hallo hi hey moin servus guten tag morgen abend grüezi bitte danke dankeschön vielen herzlichen grüße gruß liebe lieber
    sehr geehrte geehrter damen herren können könnt kannst könnte könnten könntet könntest möchte möchten möchtest würde würden gern gerne
    sagen sagt verraten erklären erkläre wissen weiß weiss wüsste helfen hilfe frage fragen gefragt brauche brauchen braucht
    geht gehen ginge gibt geben gäbe gib möglich möglichkeit eigentlich mal schon noch vielleicht irgendwie irgendwo jemand etwas
    was wie wo wer wann warum wieso weshalb welche welcher welches welchen ja nein ok okay entschuldigung kurz kurze mache machen macht
    bekomme bekommen bekommt kriege kriegen kriegt finde finden findet tun tue tut muss müssen musst soll sollen sollte
    darf dürfen will wollen willst einfach genau bzw denn doch halt eben überhaupt gerade jetzt heute dann also nun leider
    info infos information informationen euch ihnen ihr eure euer ihre ihren ihrem ihrer bei beim lange viel viele oft
    passiert passieren funktioniert funktionieren läuft laufen sache ding dinge komme kommen kommt nehmen nehme nimmt immer nie
    wieviel kann tun tuen gehts gibts hab habe haben hat hatte ner nem nen ne mir mich man mein meine meinen meiner meinem wieso
    wohin woher wofür womit worauf worüber lässt lassen`,
  french: `bonjour bonsoir salut coucou merci svp stp plaît plait veuillez pouvez pourriez pouvoir peux peut puis pourrais
    voudrais voudrait aimerais souhaite souhaiterais vouloir veux veut dire dites savoir sais sait aide aider question questions
    demande demander comment quand où pourquoi quel quelle quels quelles combien possible faire fait fais faut donner
    trouver trouve besoin cordialement information informations chose moyen avoir obtenir est-ce qu jusqu`,
  spanish: `hola buenos buenas días tardes noches gracias favor puede puedo pueden podría podrías podrían poder quiero
    quisiera quería gustaría necesito necesita decir dime dígame saber sabe sé ayuda ayudar pregunta preguntas preguntar cómo como
    cuándo cuando dónde donde cuál cuáles qué cuánto cuánta cuántos posible hacer hace hago hay dar encontrar encuentro
    obtener información cosa manera forma tener debo`,
};

const lists = new Map(Object.entries(chatter).map(([config, words]) => [config, new Set(words.split(/\s+/))] as const));

/** An unknown token that is one edit away from chatter: "kan", "pleese". */
export const isNearlyChatter = (config: string | null, token: string): boolean =>
  token.length >= 3 &&
  [...(lists.get(config ?? '') ?? [])].some((other) => other.length >= 3 && editsBetween(token, other) <= 1);

export const isChatter = (config: string, token: string): boolean => lists.get(config)?.has(token) === true;
