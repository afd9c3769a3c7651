import type { Texts } from './types.ts';

export const nl: Texts = {
  greeting: 'Hallo! Waarmee kan ik u helpen?',
  noAnswer: 'Sorry, daar heb ik op onze helppagina’s niets over gevonden. Probeer het eens in andere woorden.',
  orPerson: 'U kunt ook vragen om een medewerker te spreken.',
  trouble: 'Sorry, ik kan dat nu even niet opzoeken. Probeer het over een paar minuten opnieuw.',
  cut: '_Het antwoord werd afgebroken. Stel uw vraag nog een keer._',
  handedOff: 'Ik heb uw chat doorgegeven aan ons team. U krijgt hier antwoord.',
  noPerson:
    'Sorry, ik kan u in deze chat met niemand doorverbinden. Stel mij gerust uw vraag, dan zoek ik op onze helppagina’s naar een antwoord.',
  thanks: 'Graag gedaan! Kan ik nog iets voor u doen?',
  goodbye: 'Tot ziens! Kom gerust terug als u een vraag hebt.',
  abuse: 'Vervelend dat het niet lukt. Vertel me kort wat u nodig hebt, dan probeer ik het opnieuw.',
  identity: 'Ik ben een chatbot, geen mens. Ik beantwoord vragen met behulp van onze helppagina’s.',
  stop: 'Goed, dan laat ik het hierbij. U kunt me altijd weer een bericht sturen.',
  actions: {
    confirm: 'Controleer de gegevens en bevestig. Tot die tijd doe ik niets.',
    done: 'Gedaan: {it}.',
    failed: 'Dat is niet gelukt: {it}. Er is niets gewijzigd.',
    notLookedUp: 'Dat kon ik nu niet opzoeken: {it}. Probeer het over een paar minuten opnieuw.',
    unknown:
      'Ik weet niet zeker of dit gelukt is: {it}. Controleer het voordat u het opnieuw probeert. Ons team is op de hoogte.',
    working: 'Dit duurt iets langer: {it}. Ik laat het resultaat hier weten.',
    declined: 'Goed, dat doe ik niet: {it}.',
    expired: 'U hebt niet op tijd bevestigd, dus er is niets gebeurd: {it}.',
    cancelled: 'Er is niets gebeurd: {it}.',
    doneAfterAll: 'Nieuws over ‘{it}’: het is toch gelukt.',
    notDoneAfterAll: 'Nieuws over ‘{it}’: het is niet gelukt.',
    signIn: 'Dat kan ik doen zodra u bent ingelogd: {it}. Log in op deze site en vraag het opnieuw.',
    ask: '{it}?',
    askAgain: 'Sorry, dat klopt niet. {it} Typ ‘annuleren’ om te stoppen.',
    gaveUp: 'Sorry, dat heb ik niet begrepen, dus ik heb niets gedaan. Vraag het gerust opnieuw.',
  },
};
