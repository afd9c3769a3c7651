import type { Texts } from './types.ts';

export const it: Texts = {
  greeting: 'Ciao! Come posso aiutarti?',
  noAnswer:
    'Mi dispiace, non ho trovato una risposta nelle nostre pagine di aiuto. Prova a chiederlo in un altro modo.',
  orPerson: 'Puoi anche chiedere di parlare con una persona.',
  trouble: 'Mi dispiace, al momento non riesco a cercarlo. Riprova tra qualche minuto.',
  cut: '_La risposta è stata interrotta. Chiedi di nuovo, per favore._',
  handedOff: 'Ho passato la tua chat al nostro team. Qualcuno ti risponderà qui.',
  noPerson:
    'Mi dispiace, in questa chat non posso metterti in contatto con nessuno. Fammi la tua domanda e cercherò una risposta nelle nostre pagine di aiuto.',
  thanks: 'Prego! Posso aiutarti in qualcos’altro?',
  goodbye: 'A presto! Torna quando vuoi se hai una domanda.',
  abuse: 'Mi dispiace che sia frustrante. Dimmi in poche parole di cosa hai bisogno e ci riprovo.',
  identity: 'Sono un chatbot, non una persona. Rispondo alle domande in base alle nostre pagine di aiuto.',
  stop: 'Va bene, mi fermo qui. Scrivimi di nuovo quando vuoi.',
  replyEmail: {
    ask: 'Se preferisci non aspettare qui, scrivi il tuo indirizzo email e ti risponderemo anche via email.',
    noted: 'Grazie. Invieremo la nostra risposta anche a {email}.',
    subject: '{title}: risposta alla tua chat',
    hello: 'Ciao,',
    intro: '{name} ha risposto alla tua chat:',
    team: 'Il nostro team',
    button: 'Continua la chat',
    why: 'Ricevi questa email perché questo indirizzo è stato scritto nella chat “{title}”. Se non sei stato tu, ignora questa email.',
  },
  actions: {
    confirm: 'Controlla i dati e conferma. Fino ad allora non farò nulla.',
    done: 'Fatto: {it}.',
    failed: 'Non ha funzionato: {it}. Non è stato modificato nulla.',
    notLookedUp: 'Al momento non sono riuscito a cercarlo: {it}. Riprova tra qualche minuto.',
    unknown:
      'Non so con certezza se è andato a buon fine: {it}. Verifica prima di riprovare. Il nostro team è stato avvisato.',
    working: 'Ci vuole un po’ più di tempo: {it}. Ti scriverò qui il risultato.',
    declined: 'Va bene, non lo faccio: {it}.',
    expired: 'Non hai confermato in tempo, quindi non è stato fatto nulla: {it}.',
    cancelled: 'Non è stato fatto nulla: {it}.',
    doneAfterAll: 'Aggiornamento su «{it}»: alla fine è andato a buon fine.',
    notDoneAfterAll: 'Aggiornamento su «{it}»: non è andato a buon fine.',
    signIn: 'Posso farlo quando avrai effettuato l’accesso: {it}. Accedi a questo sito e chiedi di nuovo.',
    ask: '{it}?',
    askAgain: 'Mi dispiace, non è valido. {it} Scrivi «annulla» per interrompere.',
    gaveUp: 'Mi dispiace, non ho capito, quindi non ho fatto nulla. Chiedi pure di nuovo.',
  },
};
