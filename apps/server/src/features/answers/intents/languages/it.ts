import type { LanguageRules } from '../rules.ts';

export const it: LanguageRules = {
  filler: `🌙, 🌛, 🌜, 😴, 💤, 🌟, ⭐, ☀, 🌞, 😘, 😍, 🤗, ☺, 😇, 👏, 💪, 🎉, 👌, 💯, ✅, 🙌, ✨, 😎, 😏, 😒, 😑, 😐, 😩, 😫, 🥺, 😱, 🤦, 🤷, 👎, 🤮, 🤡, 🤖, 💔, 💖, 💙, 💕, 🌹, 🌸, 💐, 😋, 🤩, 😌, 😆, 😬, 🙃, 😳, 😔, 😕, 🙁, ☹, 😣, 😖, 👀, ❗, ❓, ⚠, 🆘,
    📞, ☎, 🛑, ✋, ❌, pls, plz, please, lol, x piacere, xpiacere, oh, ao, aò, ah, eh, nah, grazie mille in anticipo, buona domenica, prego, ciao, salve, buongiorno, buon giorno, buonasera, buona sera,
    buon pomeriggio, ehi, hey, hello, pronto, per favore, perfavore, per piacere, perpiacere, per cortesia, cortesemente, gentilmente, pf, x favore, xfavore, ok, okay, va bene, allora, ehm, mah, beh,
    be, boh, senti, senta, sentite, scusa, scusi, scusate, mi scusi, scusami, scusatemi, adesso, ora, subito, immediatamente, urgente, urgentemente, è urgente, con urgenza, il prima possibile,
    appena possibile, prima possibile, al più presto, se possibile, finalmente, davvero, veramente, sul serio, seriamente, oggi, ancora, di nuovo, e, ma, però, quindi, insomma, comunque, cioè, dai,
    guarda, guardi, no ma, signore, signora, gentile, bot, chatbot, robot, dimmi, mi dica, mi dici, senza offesa, grazie in anticipo, a proposito, per curiosità, 🙏, 👋, 😊, 🙂, 😀, 😅, 😂, 🤣, ❤, 👍, 😡, 😠, 🤬,
    😤, 🙄, 😭, 😢, 😞, 😉, 😃, 😄, 😁, 🤔, 🥰, 💩, 🖕, ahah, ahaha, haha`,
  lists: {
    staff: `umano, umana, umani, essere umano, esseri umani, persona reale, persona vera, vera persona, persona fisica, persona umana, persona competente, persona in carne, operatore, operatori,
      operatrice, l'operatore, all'operatore, un'operatrice, l'operatrice, consulente, consulenti, agente, l'agente, addetto, addetta, addetti, l'addetto, un'addetta, responsabile, rappresentante,
      supervisore, superiore, manager, referente, incaricato, interlocutore, servizio clienti, servizio assistenza, assistenza clienti, customer care, customer service, call center, centralino,
      supporto tecnico, supporto clienti, assistenza tecnica, reparto competente, ufficio competente, l'ufficio competente, ufficio reclami, tuo collega, vostro collega, suo collega, vostri colleghi,
      tuoi colleghi, dei vostri colleghi, qualcuno di competente, qualcuno di reale, qualcuno di vero, qualcun altro, qualcuno del team, tuo superiore, tuo capo, vostro team, tecnico umano`,
    may: `può, puo, potrebbe, potrà, potra, riesce a, vuole, deve, possa, può per favore, può gentilmente, potrebbe gentilmente, potrebbe per favore, dovrebbe, possono, potrebbero, saprebbe,
      sarebbe in grado di, è in grado di, è disponibile a, è disponibile per, sarebbe disponibile a, sarebbe disponibile per, disponibile a, disponibile per, libero per, è libero per, ha tempo per,
      avrebbe tempo per, ha un minuto per, mi può, mi puo, mi potrebbe, mi possa, mi deve, ci può, ci potrebbe`,
    wantone: `voglio, vorrei, vorei, vorremmo, vogliamo, volevo, desidero, desideriamo, ho bisogno, avrei bisogno, abbiamo bisogno, bisogno, mi serve, mi servirebbe, ci serve, ci servirebbe,
      preferirei, preferisco, esigo, pretendo, chiedo, richiedo, cerco, cercavo, sto cercando, necessito, gradirei, mi occorre, mi basta, ho necessità, meglio, datemi, dammi, mi dia, attendo, aspetto,
      posso avere, potrei avere, possiamo avere, si può avere, è possibile avere, ho urgente bisogno, ho urgenza, vojo, mi ci vuole, sarebbe meglio, fatemi avere`,
    solo: `umano, umana, umani, l'umano, essere umano, esseri umani, persona vera, persone vere, vera persona, persona reale, persone reali, persona fisica, persona umana, persona viva,
      persona in carne ed ossa, persona in carne e ossa, persona competente, qualcuno, qlcn, qlcuno, quarcuno, qualcun altro, qualcuno di reale, qualcuno di vero, qualcuno di umano,
      qualcuno di competente, qualcuno di vivo, qualcuno in carne ed ossa, operatore, operatori, operatrice, l'operatore, un'operatrice, l'operatrice, all'operatore, consulente, consulenti, agente,
      agenti, l'agente, addetto, addetta, addetti, un'addetta, l'addetto, responsabile, impiegato, impiegata, un'impiegata, dipendente, collega, collaboratore, rappresentante, supervisore, superiore,
      direttore, direttrice, dirigente, capo, manager, titolare, servizio clienti, servizio assistenza, assistenza clienti, customer care, customer service, call center, centralino, centralinista,
      supporto clienti, supporto tecnico, assistenza tecnica, referente, incaricato, interlocutore, voce umana, assistente umano, assistente reale, essere vivente, capo reparto, caporeparto,
      capo ufficio, funzionario, sportellista, ufficio reclami, assistente in carne ed ossa, assistenza umana, contatto umano, aiuto umano, receptionist, impiegati, parere umano`,
    solodet: `un, uno, una, un', il, lo, la, l, dei, degli, i, gli, vostro, un vostro, una vostra, il vostro, il tuo, tuo, un altro, un'altra, uno dei vostri, una delle vostre, qualsiasi,
      un qualsiasi, subito un, solo, con, con un, con una, con il, con l, a un, a una, ad un, da un, da una, qualche, al, all`,
    you: `sei, 6, siete, lei è, tu sei, voi siete, ma sei, ma siete, ma lei è, sto parlando con, sto parlando ad, sto parlando a, sto chattando con, sto scrivendo a, sto scrivendo ad,
      sto comunicando con, sto interagendo con, sto conversando con, sto dialogando con, parlo con, parlo ad, parlo a, sto a parlare con, ho a che fare con, mi sto rivolgendo a,
      mi sto interfacciando con, mi sto rapportando con, non sei, non siete, non è, nn sei, non sarai, sarai, sarete, saresti, sareste, mi risponde, mi sta rispondendo, mi sta scrivendo,
      sta rispondendo, sei per caso, sei solo, sei davvero, sei veramente, sei proprio, lei è davvero, è lei, sei tu, dall'altra parte c'è, dietro c'è, dietro questa chat c'è,
      dietro questo schermo c'è, dietro lo schermo c'è, dietro la tastiera c'è, mi stai rispondendo, chi risponde è, chi mi risponde è, chi mi risponde, chi risponde, chi scrive è, chi mi scrive è,
      chi mi scrive, questa chat è, la chat è, questo servizio è, siete dei, siete delle, sembri, sembra, sei più, ti consideri, ti senti, stiamo parlando con, chi parla è, con chi parlo,
      con chi sto parlando, chi sei`,
    self: `persona, persone, macchina, macchine, computer, programma, software, uomo, donna, ragazzo, ragazza, maschio, femmina, bambino, signora, signore, single, sposato, sposata, fidanzato,
      fidanzata, reale, reali, vero, vera, veri, vivo, viva, vivi, vivente, virtuale, automatico, automatica, automatizzato, automatizzata, artificiale, finto, finta, dipendente, impiegato, impiegata,
      consulente, addetto, addetta, operatore, operatrice, un'operatrice, un operatrice, agente, assistente, un'assistente, tecnico, qualcuno, qualcuno dell'azienda, qualcuno in carne,
      qualcuno di vero, intelligente, intelligenza, cosciente, senziente, italiano, italiana, giovane, vecchio, algoritmo, risponditore, fake, autentico, un algoritmo, gente, script, entità,
      registrazione, messaggio automatico, in carne ed ossa, in carne e ossa, di carne e ossa, di carne ed ossa`,
    thing: `macchina, macchine, una macchina, computer, programma, software, aggeggio, aggeggi, schermo, uno schermo, muro, un muro, pezzo di ferro, disco, disco rotto, segreteria telefonica, coso,
      tostapane, elettrodomestico, un elettrodomestico, telefono muto, tastiera, sistema, messaggio registrato`,
    person: `umano, umana, umani, essere umano, esseri umani, persona, persone, qualcuno, qlcn, qlcuno, qlc1, quarcuno, qualcun altro, operatore, operatori, operatrice, operatrici, l'operatore,
      all'operatore, dall'operatore, un'operatrice, l'operatrice, consulente, consulenti, agente, agenti, l'agente, un'agente, addetto, addetta, addetti, l'addetto, un'addetta, responsabile,
      responsabili, impiegato, impiegata, impiegati, un'impiegata, l'impiegato, dipendente, dipendenti, collega, colleghi, collaboratore, collaboratrice, tecnico, tecnici, rappresentante,
      rappresentanti, supervisore, superiore, direttore, direttrice, dirigente, capo, titolare, manager, centralinista, segretaria, segretario, sportellista, referente, incaricato, incaricata,
      specialista, esperto, esperta, un'esperta, interlocutore, interlocutrice, assistente umano, commesso, commessa, commerciale, venditore, venditrice, cristiano, gente, tizio, uomo, donna,
      receptionist, funzionario, funzionaria, bancario, ragazza, ragazzo, signorina, signora, uno di voi, membro del team, membro dello staff, membro del vostro staff, membro del vostro team`,
    ofyou: `del vostro team, della vostra squadra, del vostro staff, del tuo team, del team, dello staff, del servizio clienti, del servizio, dell'assistenza, del supporto, del commerciale,
      dell'ufficio, dell'amministrazione, della segreteria, della reception, della direzione, della contabilità, della clinica, dello studio, del negozio, dell'agenzia, della filiale, della banca,
      del comune, dell'hotel, della vostra azienda, del vostro ufficio, della vostra agenzia, del vostro negozio, della vostra ditta, dei vostri, di voi, dei tuoi colleghi, tra voi, da voi, lì da voi,
      del reparto, del personale, del customer care, del call center, di competente, di vero, di reale, di umano, di vivo, di sveglio, di qualificato, di responsabile, diverso da te, altro che te,
      al posto tuo, al tuo posto, al posto del bot, dell'officina, del vostro personale, del vostro servizio, del reparto tecnico, dell'ufficio tecnico, della scuola`,
    deptname: `clienti, cliente, reclami, contabilità, commerciale, tecnico, tecnica, legale, amministrativo, amministrazione, fatturazione, fatture, frodi, antifrode, sinistri, prenotazioni,
      prenotazione, vendite, acquisti, anagrafe, tributi, tecnici, urbanistica, personale, risorse umane, hr, abbonamenti, spedizioni, logistica, resi, rimborsi, recupero crediti, crediti, qualità,
      marketing, relazioni con il pubblico, scuola, studenti, informatico, assistenza, assistenza clienti, assistenza tecnica, disdette, contratti, mutui, carte, competente, stampa, privati, business`,
    dept: `ufficio, l'ufficio, all'ufficio, dall'ufficio, uffici, agli uffici, reparto, dipartimento, settore, amministrazione, l'amministrazione, all'amministrazione, dall'amministrazione,
      contabilità, fatturazione, legale, ufficio legale, segreteria, centralino, reception, accettazione, l'accettazione, direzione, risorse umane, hr, logistica, magazzino, officina, l'officina,
      all'officina, dall'officina, commerciale, vendite, call center, sportello, antifrode, l'antifrode, all'antifrode, portineria, redazione, back office, backoffice, customer care, customer service,
      helpdesk, help desk, servizio clienti, servizio assistenza, servizio tecnico, servizio, assistenza, l'assistenza, all'assistenza, supporto, team, staff, concierge, ricezione, anagrafe,
      l'anagrafe, all'anagrafe, tesoreria, filiale`,
    job: `medico, medici, dottore, dottor, dottoressa, dott, infermiere, infermiera, un'infermiera, l'infermiera, l'infermiere, all'infermiera, avvocato, l'avvocato, all'avvocato, avvocatessa, legale,
      notaio, farmacista, dentista, psicologo, psicologa, fisioterapista, veterinario, veterinaria, ostetrica, un'ostetrica, l'ostetrica, chirurgo, radiologo, ottico, nutrizionista, dietologo,
      dietologa, architetto, l'architetto, idraulico, l'idraulico, elettricista, l'elettricista, meccanico, carrozziere, installatore, l'installatore, riparatore, artigiano, ingegnere, l'ingegnere,
      sviluppatore, sviluppatrice, programmatore, informatico, sistemista, amministratore, l'amministratore, moderatore, formatore, formatrice, professore, professoressa, prof, insegnante,
      un'insegnante, l'insegnante, maestra, maestro, tutor, educatore, educatrice, coach, assistente sociale, un'assistente sociale, l'assistente sociale, assessore, l'assessore, sindaco,
      guida turistica, concierge, portiere, bancario, bancaria, banchiere, assicuratore, l'assicuratore, all'assicuratore, broker, commercialista, ragioniere, contabile, ispettore, perito,
      funzionario, funzionaria, cassiere, cassiera, hostess, steward, capo progetto, project manager, capo reparto, caporeparto, capo officina, gestore, preside, dirigente scolastico, stilista,
      parrucchiere, parrucchiera, estetista, traduttore, cuoco, chef, segretaria, segretario, signorina, ragazza, ragazzo, signora, signore, signor, sig, professionista, professionisti, caposala,
      primario, fisiatra, cardiologo, pediatra, specialista, consigliere, mediatore, liquidatore, istruttore, istruttrice, personal trainer, venditore, venditrice, commessa, commesso`,
    tprep: `con, cn, co, a, ad, al, allo, alla, all, ai, agli, alle, col, coi, collo, colla, presso, verso, c`,
    want: `devo, dovrei, dobbiamo, come, vorei, vogliio, vojo, vorrebbe mia madre, mia madre vorrebbe, mio padre vorrebbe, mia moglie vorrebbe, mio marito vorrebbe, mia madre vuole,
      sarebbe così gentile da, sareste così gentili da, saresti così gentile da, sarebbe gentile da, è fattibile, sarebbe fattibile, si riesce, riesco, riuscirei, che devo fare per,
      cosa devo fare per, cosa devo scrivere per, cosa devo digitare per, che devo scrivere per, come si riesce, quando posso, quando potrei, a che ora posso, dove, ci terrei, tengo,
      ho la possibilità, avrei la possibilità, mi è possibile, mi sarebbe possibile, è il caso, mi serve di, mi servirebbe di, faccio prima, non riesco mai, non si riesce, ho provato, ho cercato,
      sto cercando disperatamente, disperatamente, mi fareste il favore, mi fate il favore, avete modo, c'è verso, posso per caso, per parlare chiaro voglio, me fate, se puo, se po, posso anche,
      potremo, si potrà, voglio, vorrei, vorremmo, vogliamo, volevo, volevamo, vorrebbe, desidero, desidererei, desideriamo, gradirei, gradirei molto, ho bisogno, avrei bisogno, abbiamo bisogno,
      bisogno, mi serve, mi servirebbe, ci serve, ho necessità, ho la necessità, necessito, preferirei, preferisco, preferiamo, mi piacerebbe, esigo, pretendo, chiedo, richiedo, posso, potrei,
      possiamo, potremmo, si può, si puo, si potrebbe, è possibile, e possibile, sarebbe possibile, possibile, c'è modo, c'è un modo, c'è la possibilità, esiste un modo, ci sarebbe modo,
      avrei piacere, come faccio, come posso, come si fa, come potrei, come si può, come è possibile, dove posso, devo assolutamente, fatemi, fammi, mi faccia, mi faccia fare, mi fate, mi fai, mi fa,
      lasciami, lasciatemi, mi lasci, mi fareste, mi faresti, mi farebbe, cerco, sto cercando, cercavo, provo, sto provando, non riesco, nn riesco, impossibile, ho voglia, avrei voglia, insisto,
      vi chiedo, ti chiedo, le chiedo, vi prego, ti prego, la prego, puoi farmi, può farmi, potete farmi, potresti farmi, potreste farmi, potrebbe farmi, fateci, ho urgenza`,
    adv: `un po, gentilmente, un secondo, per una volta, per telefono, al telefono, a voce, di persona, personalmente, telefonicamente, in qualche modo, qualche modo di, qualche modo per, modo per,
      un modo per, il favore di, la gentilezza di, essere messo, essere messa, proprio di, a farmi, farmi, a mettermi, mettermi, in privato, urgente, sempre, tanto, mai a, a poter, voglia di,
      necessità di, il bisogno di, arrivare a, di farmi, prima possibile, al piu presto, quanto prima, appena possibile, di, a, ad, per, poter, di poter, di potere, da, che, solo, soltanto, proprio,
      davvero, veramente, assolutamente, piuttosto, adesso, ora, subito, immediatamente, semplicemente, finalmente, direttamente, per favore, perfavore, per piacere, per cortesia, cortesemente,
      urgentemente, con urgenza, ancora, anche, quindi, invece, magari, di nuovo, al più presto, il prima possibile, almeno, mai, più, fare, riuscire a, avere modo di, avere la possibilità di,
      la possibilità di, il modo di, modo di, un attimo, bisogno di, di urgenza, prima, mica, si, molto, unicamente, esclusivamente, essere, di essere`,
    talk: `parlà, parlarle, parlargli, parlare un attimo, riparlare, riparlarne, spiegarlo, spiegarla, spiegare tutto, spiegare la situazione, spiegare il problema, spiegare il mio problema,
      spiegare il mio caso, spiegare la mia situazione, esporre il problema, esporre il mio caso, raccontarlo, occuparmene, gestirlo, gestirla, risolverlo, risolverla, vedermela, sbrigarmela,
      confidarmi, confrontarsi, confrontarci, consultarmi, consigliarmi, sfogarmi, lamentarmi, reclamare, accordarmi, mettermi d'accordo, interfacciarsi, relazionarsi, rapportarmi, dialogo,
      un dialogo, una telefonata, una chiamata, una videochiamata, una call, una videocall, appuntamento telefonico, un appuntamento telefonico, colloquio, colloquio telefonico, scambiare una parola,
      fare una chiacchierata, fare due parole, dire due parole, proseguire la conversazione, continuare la conversazione, proseguire la chat, continuare la chat, portare avanti la conversazione,
      in contatto, in comunicazione, in linea, in collegamento, in diretta, messo in contatto, messa in contatto, messi in contatto, messo in comunicazione, messa in comunicazione, parlare in privato,
      conferire, avere un dialogo, avere una chiacchierata, avere un confronto, un confronto, fare il punto, trattarne, parlarvi, parlare, parlar, parlarne, parlare direttamente, parlarci, discutere,
      discuterne, comunicare, conversare, dialogare, interagire, interloquire, confrontarmi, chiacchierare, chattare, scambiare due parole, fare due chiacchiere, scambiare due chiacchiere,
      relazionarmi, interfacciarmi, avere a che fare, avere un colloquio, avere una conversazione, avere un contatto, mettermi in contatto, mettersi in contatto, metterci in contatto,
      entrare in contatto, stare in contatto, essere messo in contatto, essere messa in contatto, essere in contatto, essere messo in comunicazione, essere messo in linea, essere collegato,
      essere collegata, essere trasferito, essere trasferita, essere reindirizzato, essere indirizzato, essere indirizzata, essere passato, essere passata, essere connesso, essere connessa,
      prendere contatto, prendere contatti, rivolgermi, rivolgersi, rivolgerci, ragionare, spiegarmi, colloquiare, farmi aiutare, farmi assistere, una conversazione, una chiacchierata, un colloquio,
      contatto diretto`,
    how: `a quattr'occhi, a quattro occhi, a tu per tu, faccia a faccia, in privato, dal vivo per favore, a viva voce, vis a vis, in videochiamata, in video, telefonicamente o, cinque minuti,
      5 minuti, un minuto, un secondo, qualche minuto, di questo problema, di questa cosa, di questa situazione, del mio caso, della mia situazione, del mio contratto, della bolletta, della fattura,
      domani, stamattina, stasera, lunedì, per una volta, quanto prima, seriamente, tranquillamente, in merito, a riguardo, per via telefonica, per iscritto, via mail, via email, via telefono,
      in modo diretto, sul serio, davvero, veramente, unicamente, solamente, direttamente, dal vivo, in diretta, live, adesso, ora, subito, per favore, perfavore, per piacere, per cortesia, a voce,
      al telefono, per telefono, telefonicamente, in chat, via chat, online, di questo, di ciò, piuttosto, immediatamente, velocemente, urgentemente, con urgenza, di persona, personalmente, solo,
      soltanto, finalmente, semplicemente, invece, anche, al più presto, il prima possibile, in italiano, un attimo, di nuovo, ancora, gentilmente, cortesemente, oggi, almeno, esclusivamente,
      del mio problema, della mia pratica, del mio ordine, un momento, due minuti, qui, tramite chat`,
    prep: `con, a, ad, al, allo, alla, all, ai, agli, alle, col, coi, da, dal, dallo, dalla, dall, dai, dagli, di, del, della, dello, dell, dei, degli, verso, tramite, presso, cn, c, con l, con un,
      con una, attraverso`,
    det: `uno qualsiasi, qualunque, uno qualunque, la stessa, lo stesso, stessa, stesso, gli stessi, un certo, una certa, quella, quello, quei, quegli, uno o una, due, più, alcuni, nostro, nostra,
      chiunque, un benedetto, una benedetta, uno straccio di, un maledetto, sto, sta, un bravo, una brava, nostri, un dei vostri, qualcuno dei vostri, uno tra i vostri, una tra le vostre,
      uno di questi, un, uno, una, un', 1, il, lo, la, l, i, gli, le, dei, degli, delle, vostro, vostra, vostri, vostre, il vostro, la vostra, i vostri, le vostre, tuo, tua, il tuo, la tua, suo,
      il suo, uno dei vostri, una delle vostre, uno dei tuoi, un vostro, una vostra, un suo, un tuo, qualche, qualsiasi, un qualsiasi, un qualunque, un altro, un'altra, altra, altro, mio, il mio,
      la mia, questo, quel, nessun, nessuna, alcun, alcuna, uno degli, una delle, uno del, un cavolo di, un cazzo di`,
    pre: `stesso, stessa, giovane, gentile, bravissimo, competente, esperto, esperta, qualificato, maledetto, santa, qualificata, santo, vero, vera, veri, vere, vero e proprio, vera e propria, altro,
      altra, reale, bravo, buon, singolo, singola, autentico, normale, semplice, vostro, vostra, umano, povero`,
    who: `quarcuno, qualc, qualkuno, qualcuno di voi, altra persona, altre persone, chiunque, chiunque altro, un'altra persona, chi segue, chi gestisce, chi si occupa, chi ha in mano,
      chi ha in carico, chi se ne intende, chi ne capisce, chi ne sa, chi decide, chi comanda, chi lavora, ragazza, ragazzo, signorina, signora, signor, signore, sig, sig ra, dottor, dottore,
      dottoressa, dott, dott ssa, avvocato, persona che segue, persona che si occupa, persona incaricata, persona responsabile, addetto alle vendite, addetta alle vendite, addetti, addetto vendite,
      ufficio competente, l'ufficio competente, capo reparto, caporeparto, capo ufficio, capo servizio, capoturno, direttore di filiale, direttore della filiale, responsabile di zona, funzionaria,
      bancario, bancaria, sportellista, segretario, assistente sociale, un'assistente sociale, un'assistente, assistente in carne ed ossa, essere vivente, essere pensante, personale umano, tizia,
      tipa, vostro team, operatore telefonico, commercialista, reparto competente, reparto tecnico, reparto vendite, antifrode, l'antifrode, all'antifrode, un operatrice, un impiegata, un addetta,
      operatore vero, umano, umana, umani, l'umano, unumano, essere umano, l'essere umano, esseri umani, persona, persone, qualcuno, qlcn, qlcuno, qlc1, qualc1, qualcun altro, qualcun'altro, qualcuna,
      operatore, operatori, operatrice, operatrici, l'operatore, all'operatore, dall'operatore, dell'operatore, un'operatrice, l'operatrice, con l'operatore, consulente, consulenti, agente, agenti,
      l'agente, un'agente, addetto, addetta, l'addetto, all'addetto, un'addetta, responsabile, responsabili, impiegato, impiegata, impiegati, un'impiegata, l'impiegato, dipendente, dipendenti,
      collega, colleghi, collaboratore, collaboratrice, tecnico, rappresentante, rappresentanti, supervisore, superiore, superiori, direttore, direttrice, direzione, dirigente, capo, manager,
      servizio clienti, servizio cliente, servizio assistenza, servizio di assistenza, servizio tecnico, assistenza, assistenza clienti, assistenza tecnica, l'assistenza, all'assistenza,
      dell'assistenza, dall'assistenza, customer care, customer service, call center, centralino, centralinista, supporto, supporto clienti, supporto tecnico, il supporto, team, staff, personale,
      segreteria, segretaria, referente, incaricato, incaricata, specialista, esperto, esperta, un'esperta, interlocutore, interlocutrice, l'interlocutore, assistente umano, un'assistente umana,
      commesso, commessa, commerciale, venditore, venditrice, cristiano, gente, tizio, uomo, donna, reception, receptionist, voce umana, membro del team, membro dello staff, membro del personale,
      membro del vostro team, membro, funzionario, assistente in carne, assistente reale, assistente vero, chi di dovere, chi di competenza, chi se ne occupa, uno vero, uno di voi, uno reale,
      helpdesk, help desk`,
    agent: `suo collega, tuo collega, vostro collega, un collega, dei colleghi, vostri colleghi, tuoi colleghi, dei vostri colleghi, qualcuno di competente, qualcuno di reale, qualcuno di vero,
      qualcuno del team, qualcuno di voi, qualcuno dello staff, qualcun altro, dei vostri operatori, essere pensante, servizio di assistenza, l'assistenza clienti, all'assistenza clienti,
      l'assistenza tecnica, consulente telefonico, direttrice, dirigente, impiegati, dipendenti, addetti, persona del team, persona dello staff, persona qualificata, persona esperta,
      persona preparata, umano, umana, umani, essere umano, persona reale, persona vera, persona fisica, persona umana, persona competente, vera persona, persona in carne, operatore, operatori,
      operatrice, l'operatore, all'operatore, un'operatrice, l'operatrice, consulente, consulenti, agente, agenti, l'agente, all'agente, addetto, addetta, l'addetto, all'addetto, un'addetta,
      responsabile, impiegato, impiegata, dipendente, collaboratore, collaboratrice, tecnico, rappresentante, supervisore, superiore, direttore, capo, manager, servizio clienti, servizio assistenza,
      servizio tecnico, assistenza clienti, assistenza tecnica, all'assistenza, customer care, customer service, call center, centralino, supporto clienti, supporto tecnico, referente, incaricato,
      specialista, esperto, interlocutore, ufficio competente, reparto, reparto competente, assistente umano, uno di voi, ufficio reclami`,
    sure: `persona che mi aiuti, persona che mi risponda, persona che mi ascolti, persona che possa aiutarmi, persona che sappia, persona subito, persona adesso, persona ora, persona immediatamente,
      persona per favore, persona normale, persona al posto, persona e basta, persona disponibile, persona dell'ufficio, persona del team, persona dello staff, persona del servizio, persona esperta,
      persona preparata, vero cristiano, un cristiano, cristiano in carne, impiegata, un'impiegata, l'impiegato, dipendenti, impiegati, operatrici, addetti, direttore, direttrice, dirigente, capo,
      collega, colleghi, collaboratore, tecnico al telefono, interlocutrice, esperto al telefono, supervisor, funzionario, bancario, sportellista, quarcuno, qlc1, qualcuno di voi, membro del team,
      membro dello staff, membro del vostro staff, membro del vostro team, voce umana, essere pensante, essere vivente, ufficio reclami, uno di voi, servizio assistenza, l'assistenza clienti,
      signorina, colloquio telefonico, parere umano, consiglio umano, consulenza umana, numero con operatore, umano, umana, umani, l'umano, essere umano, esseri umani, qualcuno, qlcn, qlcuno,
      qualcun altro, persona vera, persone vere, vera persona, persona reale, persone reali, reale persona, persona fisica, persona umana, persona in carne, persona competente, persona al telefono,
      persona qualificata, persona con cui, persona e non, persona non un, persona viva, operatore, operatori, operatrice, l'operatore, all'operatore, un'operatrice, l'operatrice, consulente,
      consulenti, agente, l'agente, addetto, addetta, l'addetto, un'addetta, rappresentante, supervisore, interlocutore, centralinista, referente, incaricato, servizio clienti, assistenza clienti,
      customer care, customer service, call center, assistente umano, assistenza umana, supporto umano, aiuto umano, contatto umano, contatto telefonico, risposta umana, intervento umano,
      intervento di un operatore, richiamata, responsabile, manager, superiore, dipendente, impiegato, assistente reale, assistente vero, assistente in carne, ricontatto, callback`,
    human: `operatori in carne, operatrice reale, operatrice vera, impiegato vero, impiegato in carne, dipendente vero, consulente vero, consulente reale, vero consulente, vero impiegato,
      vera operatrice, veri operatori, vero essere umano, vera voce, voce vera, voce di una persona, voce umana, parere umano, consiglio umano, opinione umana, risposta umana, supporto umano,
      aiuto umano, intervento umano, servizio clienti umano, personale umano, uomo in carne, qualcuno di vivo, qualcuno di sveglio, qualcuno di competente, qualcuno in carne e ossa,
      qualcuno in carne ed ossa, persone in carne, umani veri, umano in carne, gente vera, gente reale, vera assistenza, vero servizio clienti, tecnico vero, tecnico umano, persona competente,
      persona normale, uno vero, uno in carne, uno sveglio, essere pensante, operatore dal vivo, cristiano in carne, assistente in carne, assistente umana, consulente in carne, addetto in carne,
      agente reale, agente vero, interlocutore reale, umano, umana, umani, essere umano, esseri umani, umano vero, persona vera, persone vere, vera persona, vere persone, persona reale, persone reali,
      persona fisica, persona umana, persona in carne, persona viva, operatore umano, operatore reale, operatore vero, vero operatore, operatore in carne, operatrice umana, operatori umani,
      operatori reali, operatori veri, agente umano, consulente umano, assistente umano, assistente reale, addetto umano, qualcuno di reale, qualcuno di vero, qualcuno di umano, qualcuno in carne,
      qualcuno reale, qualcuno vero, contatto umano, cristiano, assistenza umana, vero umano, interlocutore umano, essere vivente`,
    desk: `servizio clienti, servizio cliente, servizio assistenza, servizio di assistenza, assistenza, assistenza clienti, assistenza tecnica, l'assistenza, all'assistenza, customer care,
      customer service, call center, centralino, supporto, supporto clienti, supporto tecnico, operatore, operatori, operatrice, l'operatore, all'operatore, un'operatrice, umano, essere umano,
      consulente, addetto, agente, responsabile, team, staff, persona reale, persona vera, vera persona, rappresentante, numero verde`,
    post: `di filiale, della filiale, di zona, di reparto, del negozio, dell'agenzia, del comune, dell'ufficio, dell'azienda, della reception, della banca, dell'hotel, della clinica, della scuola,
      di turno, di guardia, in videochiamata, in chat, per parlare, per discutere, per parlarne, con cui parlare, e non una ia, non una ia, non un'ia, niente bot, niente robot, niente chatbot,
      senza bot, al posto tuo, al posto del bot, al tuo posto, non tu, e non tu, non te, tutto qui, e basta così, prima possibile, il prima possibile, quanto prima, sul serio, davvero, esperta,
      preparato, preparata, gentile, please, pls, tradizionale, e subito, e veloce, che parli italiano, italiano, italiana, invece di te, invece di un bot, invece del bot, invece di un robot,
      diverso da te, obbligatoriamente, e nient'altro, richiesto, richiesta, umano, umana, umani, reale, reali, vero, vera, veri, vere, fisico, fisica, vivo, viva, vivente, in carne ed ossa,
      in carne e ossa, in carne e d'ossa, online, in linea, al telefono, per telefono, telefonico, telefonica, competente, competenti, disponibile, disponibili, libero, libera, di reale, di vero,
      di umano, di competente, di vivo, dal vivo, live, di persona, del servizio clienti, del servizio assistenza, dell'assistenza, del supporto, del team, del vostro team, dello staff,
      del customer care, vostro, vostra, clienti, tecnico, tecnica, per favore, perfavore, per piacere, per cortesia, adesso, ora, subito, immediatamente, e non un robot, e non un bot,
      e non una macchina, non un robot, non un bot, non una macchina, non un chatbot, e non un chatbot, non robot, non bot, no bot, no robot, no chatbot, e basta, qualsiasi, qualunque, che mi aiuti,
      che possa aiutarmi, che mi risponda, che mi capisca, che capisca, che sappia, che mi possa aiutare, che può aiutarmi, che mi può aiutare, per aiutarmi, grazie, urgente, è urgente, è possibile,
      si può, possibile, qui, qualificato, qualificata, esperto, invece, vi prego, ti prego, la prego, commerciale, con urgenza, al più presto, a cui chiedere, con cui posso parlare, in italiano,
      diretto, finalmente, cortesemente, gentilmente, anziché un bot`,
    can: `dovete, è possibile, è possibile farsi, posso farmi, vorrei farmi, mi fate il favore di, mi fareste il favore di, sareste così gentili da, sarebbe così gentile da, saresti così gentile da,
      quando potete, quando potreste, quando può, quando potrebbe, quando vi è comodo potreste, potete per favore, può per favore, puoi per favore, vi va di, ditegli di, dica a qualcuno di,
      chiedete a qualcuno di, dite al direttore di, dite al responsabile di, dite a qualcuno di, dì al tuo capo di, chieda a qualcuno di, chiedi a qualcuno di, chiedi al tuo capo di, responsabile di,
      direttore di, capo di, operatore di, collega di, consulente di, tecnico di, avete modo di, qualcuno che possa, qualcuno in grado di, possano, possa, potrà, potrete, una persona può,
      una persona potrebbe, un operatore può, un operatore potrebbe, un consulente può, un consulente potrebbe, un addetto può, un addetto potrebbe, un tecnico può, un tecnico potrebbe,
      il tecnico può, una signorina potrebbe, un responsabile può, un responsabile potrebbe, un vostro operatore può, un vostro consulente può, qualcuno dovrebbe, qualcuno deve, qualcuno del team può,
      qualcuno di voi può, qualcuno di voi potrebbe, può, puo, puoi, potete, potrebbe, potresti, potreste, mi può, mi puo, mi puoi, mi potete, mi potrebbe, mi potresti, mi potreste, ci può, ci potete,
      si può, si potrebbe, sarebbe possibile, vi prego di, ti prego di, la prego di, chiedo di, vi chiedo di, le chiedo di, qualcuno può, qualcuno puo, qualcuno potrebbe, qualcuno mi può,
      qualcuno mi puo, qualcuno mi potrebbe, mi può qualcuno, può qualcuno, puo qualcuno, potrebbe qualcuno, potete gentilmente, riuscite a, riesci a, riesce a, voglio, vorrei, pregasi,
      siete pregati di, gradirei, attendo di, aspetto di, spero di, ho chiesto di, desidero, avrei bisogno di, ho bisogno di`,
    callback: `darmi un colpo di telefono, darmi uno squillo, farmi uno squillo, fare uno squillo, farmi un colpo di telefono, fare un colpo di telefono, richiamarmi voi, contattarmi voi,
      chiamarmi voi, farsi vivo, farsi sentire, farsi vivi, rifarsi vivi, mettersi in contatto, rispondermi al telefono, rispondermi per telefono, rispondermi telefonicamente, ritelefonarmi,
      richiamare mia madre, chiamare mia madre, contattare mia madre, essere contattati, farmi sapere per telefono, farmi ricontattare da, fissare una telefonata, fissare una chiamata,
      programmare una chiamata, programmare una telefonata, prenotare una chiamata, prenotare una telefonata, prenotare una richiamata, organizzare una chiamata, organizzare una call,
      fissare una call, fissare un appuntamento telefonico, prenotare un appuntamento telefonico, ricevere una richiamata, richiamarmi, ricontattarmi, chiamarmi, telefonarmi, contattarmi,
      farmi richiamare, farmi chiamare, farmi contattare, farmi ricontattare, farmi telefonare, mettersi in contatto con me, mettervi in contatto con me, chiamarci, richiamarci, ricontattarci,
      contattarci, farmi una telefonata, farmi una chiamata, richiamarmi al telefono, sentirci, sentirci telefonicamente, sentirci al telefono, essere richiamato, essere richiamata,
      essere ricontattato, essere ricontattata, essere contattato, essere contattata, essere chiamato, essere chiamata, venire contattato, venire richiamato, venire ricontattato, essere sentito,
      essere richiamati, essere ricontattati`,
    callme: `mi richiamiate, mi ricontattiate, mi contattiate, mi chiamiate, mi telefoniate, mi ritelefoni, mi richiamassero, mi contattasse, mi ricontattasse, mi telefonasse, mi chiamassero,
      mi contattassero, si metta in contatto con me, mettetevi in contatto con me, mettiti in contatto con me, datemi un colpo di telefono, dammi un colpo di telefono, mi dia un colpo di telefono,
      fatemi uno squillo, fammi uno squillo, mi faccia uno squillo, fatemi fare uno squillo, fatemi fare una telefonata, fammi fare una telefonata, fatevi sentire, fatevi vivi, si faccia sentire,
      si facciano sentire, si faccia vivo, si faccia viva, fatemi sapere per telefono, ci richiami, ci contatti, ci chiami, ci ricontatti, contattateci, chiamateci, mi fa chiamare, mi fa richiamare,
      mi fa contattare, mi fa ricontattare, fatemi ricontattare, mi faccia ricontattare, richiamateme, mi cerchi, mi cercate, richiamatemi, richiamami, mi richiami, mi richiamate, mi richiama,
      mi richiamino, mi richiamasse, ricontattatemi, ricontattami, mi ricontatti, mi ricontattate, mi ricontatta, mi ricontattino, chiamatemi, chiamami, mi chiami, mi chiamate, mi chiamino,
      mi chiamasse, contattatemi, contattami, mi contatti, mi contattate, mi contattino, telefonatemi, telefonami, mi telefoni, mi telefonate, richiamateci, ricontattateci, contattateci voi,
      fatemi chiamare, fatemi richiamare, fatemi contattare, fammi chiamare, fammi richiamare, fammi contattare, mi faccia chiamare, mi faccia richiamare, mi faccia contattare, mi fate chiamare,
      mi fate richiamare, mi fate contattare, mi fai chiamare, mi fai richiamare, mi fai contattare, fatemi telefonare`,
    give: `mi passi, mettermi in contatto, mettermi in comunicazione, mettermi in linea, mettermi in collegamento, mettermi, mandami da, mandatemi da, me passi, me passa, mi ripassi, mi ripassa,
      ripassami, ripassatemi, mi giri a, mi giri al, mi metta in linea, mettetemi in linea, mettimi in linea, mi mettete in linea, mandarmi da, mi faccia rispondere, fammi rispondere,
      fatemi rispondere, farmi rispondere, mi fai rispondere, farmi aiutare, farmi assistere, farmi seguire, farmi chiamare, farmi contattare, farmi ricontattare, farmi richiamare, fatemi seguire,
      fammi seguire, fatemi assistere, fammi assistere, mi faccia assistere, mi faccia aiutare, fatemi fare uno squillo, fatemi fare una telefonata, fatemi ricontattare, fatemi telefonare,
      fammi telefonare, mi faccia telefonare, mi inoltri, mi inoltrate, inoltrarmi, smistarmi, dirottarmi, girarmi, rimandarmi, mi devi passare, mi devi mettere, passami subito, mi trasferisca,
      ci passi, ci passate, passateci, trasferiteci, metteteci, metterci, mi fate rispondere, farci parlare, ci faccia parlare, fateci parlare, farsi rispondere, passami, passatemi, mi passate,
      mi passa, passarmi, mi passeresti, mi passereste, mi passerebbe, passami a, trasferiscimi, trasferitemi, mi trasferisci, mi trasferite, trasferirmi, mi trasferisce, collegami, collegatemi,
      mi colleghi, mi collegate, mi collega, connettimi, connettetemi, mi connetta, mi connetti, mi connettete, mettimi, mettetemi, mi metta, mi metti, mi mettete, mi mette, reindirizzami,
      reindirizzatemi, reindirizzarmi, mi reindirizzi, mi reindirizzate, indirizzami, indirizzatemi, indirizzarmi, mi indirizzi, mi indirizzate, dirottami, dirottatemi, girami, giratemi, rimandami,
      rimandatemi, fammi parlare, fatemi parlare, mi faccia parlare, mi fate parlare, mi fai parlare, farmi parlare, mi fa parlare, lasciami parlare, lasciatemi parlare, mi lasci parlare, inoltrami,
      inoltratemi, smistami, mi giri, mi girate, fammi contattare, fatemi contattare, fammi chiamare, fatemi chiamare, mi faccia contattare, mi faccia chiamare, fammi richiamare, fatemi richiamare,
      fammi aiutare, fatemi aiutare`,
    hand: `svegliate, sveglia, vai a prendere, valla a chiamare, vallo a chiamare, chiamatemi subito, fatemi avere, fammi avere, ci dia, dateci, ci date, mettetemi, mettimi, mi metta,
      mi mettete in linea, mettetemi in linea, mi metta in linea, mettimi in linea, mettermi in linea, mi trova, richiamate, voglio solo, fammi venire, fatemi venire, andate a chiamare,
      vada a chiamare, dammi, datemi, mi dia, mi dai, mi date, darmi, trovami, trovatemi, trovarmi, mi trovi, mi trovate, chiamami, chiamatemi, chiamate, chiama, chiami, fai venire, fate venire,
      fai intervenire, fate intervenire, fai entrare, vai a chiamare, va a chiamare, vammi a chiamare, passa, passate, contatta, contattate, coinvolgi, mettete, metti, avvisa, avvisate, ridatemi,
      assegnami, assegnatemi, richiedo, esigo, pretendo`,
    link: `chat diretta, chat dal vivo, live chat, chat in diretta, in linea, in contatto, in comunicazione, in collegamento, collegamento, trasferimento, trasferito, trasferita, reindirizzato,
      indirizzato, mettere in contatto, messo in contatto, messa in contatto, contatto diretto, contatti diretti, connessione, conversazione, colloquio, appuntamento telefonico, trasferisci,
      trasferite, trasferisca`,
    is: `ce sta, ce stanno, ci sta, ci stanno, c'è ancora, ci sono ancora, c'è rimasto, non c'è più, non ci sono più, c'è un, disponete, avete ancora, avete mica, avreste mica, non avreste,
      non c'è mica, ma non c'è, c'è forse, ci sara, ci sarà, c'è davvero, esiste da voi, esiste qualche modo, posso trovare, a che ora trovo, quando trovo, dove trovo, si può avere, si potrebbe avere,
      potrei avere, potremmo avere, possiamo avere, c'è, ce, c e, non c'è, nn c'è, ci sono, ci sarebbe, ci fosse, non ci sono, avete, avreste, esiste, esistono, non avete, non esiste, ce per caso,
      c'è per caso, c'è almeno, c'è mica, si trova, posso avere, possibile avere, è possibile avere, ma c'è, esiste ancora`,
    avail: `collegato, collegata, collegati, operativo, operativi, attivi, di guardia, pronto, in ascolto, in chat, a rispondere, che lavorano, che rispondono, che ascolti, che mi ascolti, che parli,
      sveglio, dall'altro lato, da voi, lì dentro, là dentro, per parlarne, per spiegarmi, per rispondere, per un aiuto, che non sia, e non un, invece di un, al posto di un, con chi, co cui,
      con il quale parlare, a portata di mano, a darmi retta, per discutere, per una chiamata, che può rispondere, che può aiutarmi, che sia, in sede, disponibile, disponibili, libero, libera, liberi,
      online, in linea, connesso, connessa, con cui, con il quale, con la quale, col quale, a cui, al quale, alla quale, che può, che puo, che possa, che potrebbe, che mi, che risponda, che risponde,
      che capisca, che capisce, che sappia, che sa, che ci, per aiutarmi, per parlare, per rispondermi, per assistenza, per assistermi, di reale, di vero, di umano, di competente, di vivo, in carne,
      reperibile, raggiungibile, raggiungibili, al telefono, di turno, in servizio, dall'altra parte, da contattare, da chiamare, a disposizione, vero, vera, reale, umano, umana, competente,
      di voi che, in grado, capace, presente, telefonicamente, che lavora, da poter`,
    act: `telefonare, guardarlo, guardarci, dare un'occhiata, darci un'occhiata, dare un occhiata, occuparsi di me, occuparsi del mio, seguire, seguire la mia pratica, seguire il mio caso, spiegarmi,
      spiegare, leggermi, proseguire, riprendere, prendere il controllo, prendere in consegna, esaminare, parlarci, ricevermi, mettersi in contatto, farmi sapere, risentirmi, discutere, chiacchierare,
      supportare, consigliarmi, guidarmi, accompagnarmi, contattarla, aiutarmi, aiutare, aiutarci, assistermi, assistere, rispondermi, rispondere, richiamarmi, richiamare, ricontattarmi, ricontattare,
      chiamarmi, chiamare, telefonarmi, contattarmi, contattare, parlarmi, parlare, parlare con me, prendere in carico, prendere in mano, intervenire, occuparsene, occuparsi, seguirmi, subentrare,
      darmi retta, darmi una mano, darmi una risposta, darmi assistenza, dare una mano, ascoltarmi, scrivermi, venirmi in aiuto, darmi supporto, supportarmi, farsi sentire, farsi vivo, dare retta,
      contattarci, richiamarci, sentirmi`,
    acts: `intervenga, mi prenda in carico, mi contattasse, mi ricontattasse, mi telefonasse, si faccia vivo, si faccia viva, si faccia vedere, ci dia un'occhiata, dia un'occhiata, dia un occhiata,
      guardi il mio caso, guardi la mia pratica, segua la mia pratica, segua il mio caso, mi segua, prenda in mano, prenda in carico, prenda la chiamata, mi supporti, mi consigli, mi guidi, mi dica,
      mi sappia dire, mi sappia aiutare, sappia aiutarmi, possa aiutarmi, possa rispondermi, possa richiamarmi, possa chiamarmi, mi possa aiutare, mi possa rispondere, mi possa richiamare,
      mi possa seguire, ne capisca, mi legga, legga il mio messaggio, valuti il mio caso, mi dia retta, mi dia una risposta, mi dia una mano, mi dia assistenza, ci senta, si metta in contatto,
      mi cerchi, venga in chat, mi aiutasse, parli con me, parli italiano, mi capisca, mi stia a sentire, ci aiuti, mi risponda, risponda, mi richiami, mi chiami, mi contatti, mi ricontatti, mi aiuti,
      mi assista, se ne occupi, si occupi, mi parli, mi telefoni, mi ascolti, mi scriva, mi spieghi, si faccia sentire, ci chiami, ci contatti, ci richiami, ci risponda, subentri, mi rispondesse,
      mi chiamasse, mi richiamasse, mi sappia`,
    bot: `robot, robots, bot, bots, chatbot, chat bot, chatbots, ia, l'ia, un'ia, un ia, l'ai, un'ai, un ai, intelligenza artificiale, un'intelligenza artificiale, un intelligenza artificiale,
      l'intelligenza artificiale, automa, automi, risponditore, risponditore automatico, risponditori, assistente virtuale, assistenti virtuali, un'assistente virtuale, l'assistente virtuale,
      assistente automatico, assistente digitale, risposte automatiche, risposta automatica, messaggi automatici, messaggio automatico, risposte preimpostate, risposte preconfezionate,
      risposte standard, risposte copia incolla, risposte precompilate, risposte registrate, sistema automatico, voce automatica, voce registrata, voci registrate, disco registrato,
      sistemi automatici, operatore virtuale, operatore automatico, algoritmo, algoritmi, l'algoritmo, chatgpt, faq, macchinetta, macchinette, chat automatica, chat automatiche, menu automatico`,
    nobot: `basta, stufo, stufa, stanco, stanca, stufi, stanchi, stufo marcio, anziché, invece, invece che, piuttosto che, al posto, odio, detesto, nauseato, nauseata, non ne posso più,
      ne ho abbastanza, ne ho piene le tasche, ho le scatole piene, mi sono rotto, mi sono rotta, mi son rotto, rotto le scatole, rotto le palle, mi sono stufato, mi sono stufata, mi sono stancato,
      mi sono stancata, mi rifiuto, rifiuto, non voglio, nn voglio, non sopporto, non mi fido, nn mi fido, non mi piace, non mi piacciono, niente, macché, non intendo, non desidero, mai più`,
    botvia: `di parlarne con, parlarne con, a parlarne con, parlare con, di parlare con, a parlare con, discutere con, di discutere con, parlare con un, parlare con una, fare con, a che fare con,
      tutti questi, tutte queste, sti cavolo di, di sti, di ste, con sti, con ste, con sto, con sta, con i vostri, dei vostri, delle vostre, i vostri, le vostre, le solite, delle solite, raccontare,
      raccontarlo a, spiegare, spiegarlo a, di spiegare, scriverlo a, scrivere a, di scrivere a, fidarmi di, affidarmi a, degli, di tutti questi, di girare a vuoto con, di perdere tempo con,
      perdere tempo con, rispondere da, farmi rispondere da, di ricevere, ricevere, leggere, di leggere, queste stupide, questo stupido, quelle, di, di un, di una, di questo, di questa, di questi,
      di queste, del, dei, delle, dello, della, con, con un, con una, con questo, con questa, con questi, con queste, con il, con i, con le, col, coi, a, a un, a una, ad un, ad una, al, da, da un,
      da una, che, un, uno, una, il, lo, la, i, gli, le, questo, questa, questi, queste, parlare, di parlare, parlo, a parlare, parlarci, più, voglio, vorrei, voglio parlare, voglio più, mi serve,
      intendo, avere a che fare, di avere a che fare, aver a che fare, interagire, di interagire, discutere, di discutere, chattare, di chattare, comunicare, mi piace, mi piacciono, mi va, ho voglia,
      ho voglia di, sopporto, stupido, stupidi, stupida, inutile, inutili, solito, soliti, solite, vostro, vostri, tuo, mi fido, fido, ragionare, perdere tempo, scrivere, essere, altro,
      essere aiutato, essere assistito, semplice, cavolo di, cazzo di, maledetto, sto, sta, ste, sti, un altro`,
    guard: `contratto, contratti, sconto, sconti, conto, conti, posto, posti, posta, pasta, passo, passi, busta, buste, prezzo, prezzi, pezzo, pezzi, ferro, fermata, firma, firme, forma, forno, cesto,
      parco, porto, porta, porte, fisso, fissa, copra, copre, crema, creme, perla, perle, salute, server, spesso, spesa, parte, carta, carte, corso, corsi, costa, costo, costi, cassa, casse, corte,
      merce, merci, personale, personali, cancello, cancelli, capelli, cavallo, scarpe, scarpa, scala, scatola, scheda, schede, schermo, scuola, stampa, rosso, presto, prestito, notte, note, salve,
      salvo, lotto, latte, letto, piano, piani, porzione, pagare, portare, spostare, attivare, arrivare, salvare, termine, finestra, regalo, regali, orario, orari, ordine, ordini, agenda, agenzia,
      patente, utente, utenti, cliente, clienti, offerta, offerte, vendita, vendite, vendere, chiave, chiavi, chiuso, chiusa, linea, linee, numero, numeri, treno, treni, viaggio, viaggi, cambio,
      cambiare, campo, campi, lavoro, lavori, magari, maglia, maglie, moglie, medico, medici, banca, bianca, bianco, banco, calza, calze, gomme, serra, serie, servono, senso, sesso, tasse, tassa,
      testo, testi, tende, tenda, truffa, truffe`,
    tk: `info, l'info, dell'info, prendo nota, prendo, nota, annoto, segnato, segno, spiegato, spiegata, spiegate, spieghi, apprezzo, apprezzato, apprezzata, apprezzatissimo, molto apprezzato, bella,
      che, sei stato, sei stata, siete stati, è stato, è stata, un amore, un tesoro, un angelo, un genio, un mito, dei miti, il top, al top, tutto perfetto, subito, adesso ho capito, ora ho capito,
      adesso è chiaro, ora è chiaro, già fatto, fatto, provo, provo subito, ci provo, proverò, farò, faccio, faccio così, lo faccio, seguo, seguirò, vostre, tue, sue, dritte, proprio bravo,
      comprensibile, semplice, simpatico, simpatica, risolutivo, risolutiva, impeccabile, premuroso, ineccepibile, celerità, prontezza, solerzia, attenzione, interessamento, collaborazione, ascolto,
      guida, link, del link, il link, dello, degli, agli, ai, alle, dal, dalla, dalle, nel, nella, sono stato, sono stata, rimasto, rimasta, colpito, colpita, impressionato, impressionata, contenti,
      soddisfatti, serviva proprio, mi serviva proprio, cercavo proprio, serviva sapere, che mi serviva, che cercavo, che volevo, avevo bisogno, di cui, bisogno, avevo, ho trovato, trovato tutto,
      finalmente, pure, senza, dubbio, dubbi, dubbio risolto, chiarito, chiariti, chiarita, tolto, ogni dubbio, un dubbio, anche stavolta, stavolta, sempre, come sempre, oggi, un sacco, sacco,
      un mondo, mondo, un milione, milione, milioni, volte, dio, benedica, dio ti benedica, amico, amico mio, ragazzi, caro, cara, capo, figurati, prego, ve, te ne, ve ne, ne, 🌞, 💕, 😎, 😆, 😌, 💐, ok,
      okay, va bene, vabbè, d'accordo, perfetto, perfetta, ottimo, ottima, ottimi, benissimo, bene, bravo, brava, bravi, bravissimo, bravissima, bravissimi, super, fantastico, fantastica, grande,
      grandi, grandissimo, eccellente, eccezionale, magnifico, meraviglioso, splendido, stupendo, tutto, tutti, tutte, molto, moltissimo, tanto, tantissimo, tante, mille, infinite, davvero, veramente,
      ancora, di cuore, di tutto, per, dell, del, della, delle, dei, di, d, la, il, lo, l, le, i, gli, un, una, uno, e, è, a, te, lei, voi, vi, ti, ci, mi, me, sei, siete, stato, stata, stati, hai,
      ha, avete, m'hai, aiuto, l'aiuto, dell'aiuto, aiutato, aiutata, aiutarmi, avermi, d'aiuto, disponibilità, gentilezza, pazienza, cortesia, supporto, tempo, assistenza, l'assistenza,
      dell'assistenza, risposta, risposte, risposto, rapidità, velocità, informazione, informazioni, l'informazione, dell'informazione, spiegazione, spiegazioni, chiarimento, chiarimenti, chiarezza,
      dritta, consiglio, consigli, indicazione, indicazioni, suggerimento, servizio, professionalità, efficienza, gentile, gentili, gentilissimo, gentilissima, gentilissimi, cortese, cortesi,
      cortesissimo, disponibilissimo, chiaro, chiara, chiarissimo, chiarissima, utile, utili, utilissimo, utilissima, utilissime, preciso, precisa, precisissimo, veloce, veloci, velocissimo, rapido,
      rapida, rapidissimo, efficiente, efficace, esauriente, esaustivo, esaustiva, prezioso, preziosa, preziosissimo, completo, completa, proprio, esattamente, quello, quel, ciò, cercavo, volevo,
      sapere, serviva, mi serviva, capito, ho capito, ho, risolto, risolta, tutto ok, tutto chiaro, problema, domanda, mia, mio, tua, tuo, vostra, vostro, sua, suo, alla, al, con, questo, questa,
      queste, così, funziona, funzionato, adesso, ora, già, si, sì, ah, oh, eh, wow, urca, allora, ma, anche, comunque, lo stesso, altrettanto, ringrazio, ringraziarvi, ringraziarti, ringraziare,
      volevo ringraziarti, vorrei, anticipatamente, in anticipo, anticipo, infinitamente, sentitamente, sinceramente, bot, robot, chatbot, signore, signora, team, staff, buongiorno, salve, ciao bot,
      più, troppo, salvato, salvata, vita, la vita, giornata, pronta, tempestiva, tempestività, celere, dettagliata, dettagliato, momento, per adesso, per ora, era, trovato, sono, contento, contenta,
      soddisfatto, soddisfatta, felice, lavoro, bel, bello, buon, buono, buona, grz, grazie, da parte mia, risolvere, aver, avere, averlo, sistemato, tutto a posto, a posto, apposto, 👍, 🙏, 😊, 🙂, 😀, ❤,
      😍, 🥰, 😘, 😁, 😃, 😄, 😉, 👏, 💪, 🎉, 👌, 💯, ✅, 🤗, 🤩, ☺, 😅, 😇, 🙌, ✨, 🌟, ⭐, 💖, 💙, 🌹, 🌸`,
    thank: `apprezzo, apprezzato, apprezzatissimo, molto apprezzato, top, perfetta, ottima, super, brava, risolto, ha funzionato, ora funziona, adesso funziona, funziona grazie, funziona tutto,
      funziona perfettamente, spiegato benissimo, spiegato bene, spiegato molto bene, spiegazione perfetta, spiegazione chiara, spiegazione chiarissima, ben spiegato, prendo nota, preso nota,
      ora è chiaro, adesso è chiaro, ora è tutto chiaro, adesso è tutto chiaro, ora mi è chiaro, adesso mi è chiaro, mi è chiaro, chiaro grazie, ho capito tutto, adesso ho capito, ora ho capito,
      capito grazie, sei un angelo, sei un tesoro, sei un mito, sei un genio, sei un grande, sei grande, sei forte, sei stato utile, sei stato utilissimo, sei stata utilissima, sei stato gentilissimo,
      siete fantastici, siete forti, siete un mito, siete mitici, siete grandi, siete super, siete stati utilissimi, siete stati bravissimi, fortissimo, fortissimi, che forte, geniale, fenomenale,
      fenomeno, strepitoso, wow, utilissime, utilissimi, è stato utile, è stato utilissimo, è stato molto utile, davvero utile, mi è stato utile, mi è servito, mi è stato di aiuto, mi è stato d'aiuto,
      mi è stata utile, mi hai aiutato molto, mi hai tolto un dubbio, mi ha tolto un dubbio, mi avete tolto un dubbio, mi hai risolto, mi avete risolto, mi ha risolto, dubbio risolto, dubbi risolti,
      dubbio chiarito, questione risolta, risolto tutto, risolto grazie, tutto risolto, sono soddisfatto, sono soddisfatta, soddisfatto, soddisfatta, soddisfattissimo, sono contento, sono contenta,
      contento, contenta, contentissimo, felicissimo, sono a cavallo, impressionante, impressionato, complimenti, i miei complimenti, tanti complimenti, chapeau, tanto di cappello, ben fatto, bel bot,
      bravo bot, bravo robot, buon bot, molto cortese, molto cortesi, cortesissimo, cortesissimi, molto efficiente, efficientissimo, molto rapido, molto veloce, velocissimo, velocissimi, rapidissimo,
      rapidissimi, super veloce, super gentile, super disponibile, disponibilissimi, troppo forte, troppo gentili, che gentilezza, che velocità, che efficienza, che servizio, un servizio eccellente,
      che dio ti benedica, dio ti benedica, ve ne sono grato, le sono grato, ti sono grato, vi sono grato, le sono grata, ti sono grata, vi sono grata, mille grazie, infinite grazie, tante grazie,
      grazie grazie, grassie, grasie, merci, danke, gracias, tvb, ti voglio bene, ok perfetto, ok capito, ho capito bene, buono a sapersi, bene a sapersi, ottimo a sapersi,
      era quello che volevo sapere, proprio quello che mi serviva, proprio quello che cercavo, esattamente quello che cercavo, esattamente quello che mi serviva, è quello che cercavo,
      è quello che volevo sapere, ✅, 💪, 🎉, 🙌, 🤗, 🤩, grazie, grazi, graziee, grz, grzie, grazzie, graxie, thanks, thank you, thx, ringrazio, ringraziamo, ringraziarvi, ringraziarti, ringraziarla,
      ringraziamenti, grato, grata, riconoscente, obbligato, perfetto, ottimo, benissimo, bravo, bravi, bravissimo, bravissima, bravissimi, fantastico, fantastica, grandioso, eccellente, eccezionale,
      magnifico, meraviglioso, splendido, stupendo, favoloso, mitico, mitica, mitici, siete i migliori, sei il migliore, numero uno, ottimo lavoro, bel lavoro, buon lavoro bot, molto utile,
      utilissimo, utilissima, molto chiaro, chiarissimo, chiarissima, molto gentile, molto gentili, gentilissimo, gentilissima, gentilissimi, troppo gentile, molto bene, molto esauriente,
      molto disponibile, molto d'aiuto, di grande aiuto, d'aiuto, un grande aiuto, mi hai aiutato, mi hai aiutata, mi ha aiutato, mi ha aiutata, mi avete aiutato, mi avete aiutata, aiutato molto,
      aiutato tanto, aiutata molto, aiutata tanto, salvato la vita, mi hai salvato, mi ha salvato, mi avete salvato, problema risolto, ho risolto, ho capito, tutto chiaro, capito tutto,
      era quello che cercavo, quello che cercavo, quello che volevo sapere, quello che mi serviva, proprio quello che, ciò che cercavo, ciò che mi serviva, tutto quello che volevo sapere,
      ha risposto alla mia domanda, hai risposto alla mia domanda, risponde alla mia domanda, siete stati gentilissimi, che gentile, che bravo, che bello, bella risposta, ottima risposta, ti adoro,
      vi adoro, ti amo, bel servizio, ottimo servizio, tanta roba, una bomba, sei una bomba, spettacolo, spettacolare, impeccabile, 👍, 🙏, ❤, 👏, 💯, 👌, 😍, 🥰, 😘`,
    bye: `ci becchiamo, ci si vede, ci si sente, ci si becca, ci becchiamo dopo, ci vediamo domani, ci vediamo la prossima volta, ci rivediamo, ci riaggiorniamo, ci riscriviamo, ci sentiamo domani,
      ci sentiamo più tardi, ci sentiamo poi, ci vediamo in giro, alla prox, alla proxima, alle prossime, a presto risentirci, a presto rivederci, a più avanti, a dopo allora, a fra poco, a tra poco,
      a sabato, a domenica, alla settimana prossima, a settimana prossima, arrivedorci, arriverderci, arrivederci a tutti, arrivederci a presto, adieu, au revoir, hasta la vista, hasta luego,
      ciao alla prossima, ciao belli, ciao ciao ciao, un salutone, salutoni, salutoni a tutti, un saluto a tutti voi, un cordiale saluto, cordialmente, cordialità, con i migliori saluti,
      i migliori saluti, porgo distinti saluti, porgo cordiali saluti, tante belle cose, tante care cose, stammi bene allora, mi raccomando stammi bene, statemi bene tutti, si stia bene, stia bene,
      abbiate cura di voi, si riguardi, riguardati, riguardatevi, buona nottata, buona notte a tutti, dolce notte, dormi bene, dorma bene, dormite bene, vado a dormire, vado a letto, vado a nanna,
      buon riposo, buon sonno, buona cena, buon pranzo, buon appetito, buon viaggio, buona permanenza, buon natale, buon anno, buona pasqua, buon ferragosto, buone ferie, buon ponte,
      buona serata a lei, buona giornata a lei, buon inizio settimana, buona settimana a voi, buon lunedì, buon venerdì, buon fine settimana a tutti, buon we, buon wend, buon wk, buon we a tutti,
      splendida serata, felice serata, serena giornata, serena notte, serena serata, una buona giornata, una buona serata, una bella giornata, una splendida giornata, fantastica giornata,
      meravigliosa giornata, buon prosieguo, buon continuo, buona prosecuzione, tolgo il disturbo, vi lascio lavorare, ti lascio lavorare, la lascio lavorare, mi congedo, mi scollego, mi disconnetto,
      ora stacco, adesso stacco, ora scappo, adesso scappo, devo proprio andare, devo chiudere, devo staccare, è ora di andare, mi tocca andare, io scappo, io stacco, io vado, me ne torno,
      ci penso e torno, torno un'altra volta, mi rifaccio vivo, mi farò risentire, ti faccio sapere, vi faccio sapere, le faccio sapere, ci penserò e vi faccio sapere, ve saluto, te saluto, se vedemo,
      se sentimo, statte buono, statte bene, stateve bene, sto andando via, ora devo andare, adesso devo andare, chiudo la chat ciao, ok chiudo ciao, basta così ciao, no grazie ciao, no ciao,
      niente ciao, bacio, bacini, baciotti, abbracci, un abbraccione, kiss, xoxo, tschuss, arrivederci, arrivederla, arivederci, arrivederci e grazie, addio, a presto, a prestissimo, a dopo, a domani,
      a più tardi, a piu tardi, alla prossima, alla prossima volta, a risentirci, a risentirla, a rivederci, ci vediamo, ci vediamo presto, ci vediamo dopo, ci sentiamo, ci sentiamo presto,
      ci sentiamo dopo, ci risentiamo, ci aggiorniamo, a lunedì, a martedì, a mercoledì, a giovedì, a venerdì, a stasera, a poi, buona giornata, buona serata, buonanotte, buona notte, buon weekend,
      buon week end, buon fine settimana, buona fine settimana, buon proseguimento, buona continuazione, buon lavoro, buone vacanze, buone feste, buona domenica, buon sabato, buona settimana,
      felice giornata, splendida giornata, bella giornata, ottima giornata, buon resto di giornata, buon rientro, buona vita, bye, bye bye, byebye, goodbye, see you, adios, ciao ciao, ciaociao,
      ciaone, ciao ciaone, un saluto, saluti, i miei saluti, cordiali saluti, distinti saluti, cari saluti, tanti saluti, un caro saluto, vi saluto, ti saluto, la saluto, devo andare, devo scappare,
      devo lasciarti, devo lasciarvi, ora vado, adesso vado, vado via, me ne vado, chiudo qui, vi lascio, ti lascio, la lascio, stammi bene, statemi bene, mi stia bene, abbi cura di te, tornerò,
      torno dopo, torno più tardi, torno domani, ripasserò, grazie ciao, grazie mille ciao, ok ciao, va bene ciao, bene ciao, perfetto ciao, allora ciao, ciao grazie, ciao e grazie, ciao a presto,
      ciao buona giornata, ciao buona serata, dai ciao, vabbè ciao, ciao allora, ciao e buona giornata, ciao grazie mille, ciao stammi bene, ciao e a presto, baci, un bacio, un abbraccio,
      un abbraccio forte, bacioni, notte notte, sogni d'oro, e con questo è tutto, è tutto per oggi`,
    byw: `non mi serve altro, non mi serve più niente, non mi serve più nulla, non mi serve nient'altro, non mi occorre altro, non ho bisogno d'altro, non ho bisogno di altro,
      non ho più bisogno di niente, non ho altro da chiedere, non ho altro, nient'altro grazie, no grazie, niente, è tutto ok, tutto ok, tutto chiaro, è tutto chiaro, ci siamo, sono a posto così,
      siamo apposto, apposto così, mi basta così, va bene così, per adesso, per adesso è tutto, per ora è tutto, per oggi è tutto, vi ringrazio, ti ringrazio, la ringrazio, ancora grazie,
      grazie ancora, buona, ottima, ottimo, splendido, splendida, felice, serata, weekend, gentilissimi, capo, zio, bello, bella, belli, tesoro, amore, cari, cara mia, carissimi, ragazze, team, staff,
      e buona giornata, e buona serata, e buona domenica, buona giornata, mi raccomando, purtroppo, proprio, si è fatto tardi, si è fatta una certa, è ora, ho da fare, ho un impegno,
      il lavoro mi chiama, per stasera, per stavolta, eh, oh, beh allora, allora ciao, così, spero a presto, un salutone, vi, ti, è stato bello, è stato bello parlare con te, bello parlare con te,
      quando, volta, 👋, 😊, 🙂, 😘, ❤, 🌙, ☀, 😴, 🌞, 😉, a voi, a te, a lei, anche a voi, anche a te, anche a lei, altrettanto, a tutti, a tutte, voi, te, lei, tutti, anche, e, allora, ok, dai, va bene,
      bene, beh, vabbè, vi auguro, ti auguro, le auguro, auguro, una, un, buon, signore, signora, per, forse, magari, spero, di, risentirci, rivederci, presto, domani, dopo, più tardi, tardi, ora,
      adesso, io, devo, andare, vado, che, è tardi, amico, amico mio, amici, ragazzi, caro, cara, ci penso, ci penserò, stasera, oggi, no, si, sì, è tutto, questo è tutto, basta così, nient'altro,
      nessun'altra domanda, non ho altre domande, ho finito, ho fatto, sono a posto, siamo a posto, con piacere, un piacere, è stato un piacere, piacere, bot, robot, ciao, il, le, al, alla, prossima,
      da, qui, per oggi, per ora, per il momento, se ho bisogno, in caso, eventualmente, ci, risento, giornata, lavoro, a, e buon lavoro, buon lavoro, a presto, un saluto, cordialità, caso mai,
      semmai, torno, tornerò, parlarti, chiacchierare, parlare con te, parlare con voi`,
    hello: `siete disponibili, siete online, va tutto bene, tutto okay, ciao bella, ciao bello, bella zio, bella raga, bella fra, ciaooo, ciao ciao come va, cia come va, slve, salvee, buon giono,
      buonagiorno, bun giorno, bongiorno, bonjorno, buonasea, buona giornata a voi, salve salve, ciao di nuovo, rieccomi qua, eccomi qua, sono tornato, sono tornata, sono di nuovo qui, sono ancora io,
      sono sempre io, sono di nuovo io, posso disturbarti, posso disturbare un attimo, posso rubarvi un minuto, posso rubarle un minuto, posso rubarti un minuto, ti disturbo, vi disturbo, la disturbo,
      disturbo un attimo, hai un minuto, ha un minuto, avete un minuto, hai due minuti, avete due minuti, hai un attimo, ha un attimo, avete un attimo, hai tempo, c'è nessuno in casa, c'è anima viva,
      ehi c'è qualcuno, ehilà c'è qualcuno, nessuno in casa, funziona questa chat, funziona la chat, la chat funziona, questa chat funziona, mi stai leggendo, mi state leggendo, mi ascolti,
      mi ascoltate, sei vivo, rispondi, rispondete, mi rispondi, mi rispondete, risponde qualcuno, qualcuno risponde, qualcuno mi legge, qualcuno mi sente, qualcuno in ascolto, siete svegli,
      sei ancora online, sei occupato, sei libero, come ti senti, come si sente, come va la giornata, come è andata la giornata, com'è andata la giornata, com'è, com'è la vita, come te va,
      come stanno le cose, come vanno le cose, come stiamo, come ve la passate, come se la passa, come procede la giornata, passata bene la giornata, dormito bene, che si racconta, che racconti,
      che mi racconti di bello, che c'è di bello, che succede, felice di conoscerti, lieto di conoscerla, lieta di conoscerla, felice anno nuovo, buongiornissimo, buongiornissimo caffè,
      buon risveglio, namaste, shalom, salam, ahoy, aloha, salute a tutti, salute a voi, we we, uei, uela, oè, oé, olà, ohi, ohilà, eilà, eila, ueilà, hei tu, ehi tu, hey tu, ehi là, ciao, ciaoo,
      ciau, cia, caio, salve, salv, buongiorno, buon giorno, buongiono, buondì, buon dì, buonasera, buona sera, bonasera, buon pomeriggio, buonpomeriggio, buona mattina, buon mattino, buond, hello,
      hi, hey, ehi, ehilà, ei, ehy, hei, ei là, oh, oi, we, weee, uè, ue, weila, bella li, yo, hola, bonjour, pronto, toc toc, saluti a tutti, un saluto a tutti, ben trovati, ben trovato, bentrovati,
      rieccomi, eccomi, eccomi qui, sono qui, sono io, piacere, piacere di conoscerti, piacere di conoscerla, molto piacere, test, prova prova, come va, come stai, come sta, come state, come ti va,
      come andiamo, come butta, come te la passi, come va la vita, come procede, come va oggi, come sta andando, tutto bene, tutto a posto, tutto apposto, sta bene, state bene, che si dice,
      che fai di bello, che mi racconti, che mi dici, che c'è di nuovo, ci sei, c sei, ci siete, ci sei ancora, ci siete ancora, sei lì, sei li, siete lì, siete li, sei qui, siete qui, sei ancora lì,
      siete ancora lì, sei ancora li, è lì, lei c'è, mi senti, mi sentite, mi sente, mi leggi, mi leggete, sei online, sei disponibile, sei attivo, siete attivi, sei in linea, siete in linea,
      sei sveglio, c'è qualcuno, ce qualcuno, c e qualcuno, c'è nessuno, ce nessuno, qualcuno c'è, c'è qualcuno qui, c'è qualcuno lì, c'è qualcuno in ascolto, mi ricevi, posso disturbare,
      posso disturbarla, posso disturbarvi, iniziamo, cominciamo, spero tutto bene, spero stiate bene, spero che stiate bene, spero che tu stia bene, spero vada tutto bene, 👋`,
    gr: `buona domenica, buon sabato, buona giornata, buon anno, un attimo, un momento, un secondo, un minuto, a lei, a lor signori, cari amici, carissimi, gentile team, gentile staff,
      gentile assistenza, gentile servizio clienti, egregio, egregi signori, spett le, dott, dottore, dottoressa, sig, sig ra, miei cari, belli, gente, popolo, mister, capo, amore, tesoro, come stai,
      come state, come sta, tutto ok, e tu, e voi, e lei, io sto bene, sto bene, tutti quanti, là, laggiù, di là, in casa, lì dentro, lì da voi, dall'altra parte, mattiniero, questa mattina,
      questa sera, pls, please, robottino, ia, ai, sono qui, sono io, sono nuovo, sono nuova, mi sa che, forse, permesso, con permesso, disturbo, solo, anche, pure, ✨, 🌸, 😎, 😴, ciao, salve,
      buongiorno, buonasera, buon pomeriggio, buon giorno, buona sera, ehi, hey, hello, pronto, a tutti, a voi, a te, a tutto il team, a tutto lo staff, a tutte, tutti, tutte, voi, te, lei, team,
      staff, signore, signora, signori, signor, signorina, gentile, gentili, gentilissimi, egregi, spettabile, caro, cara, cari, bot, robot, chatbot, il bot, assistente, assistente virtuale, amico,
      amico mio, amici, ragazzi, raga, bello, bella, bro, zio, per favore, perfavore, per piacere, per cortesia, cortesemente, gentilmente, e, oggi, stamattina, stasera, spero, che, bene, spero bene,
      tutto bene, ok, allora, mi scusi, scusi, scusa, scusate, scusate il disturbo, scusi il disturbo, scusa il disturbo, mi scuso per il disturbo, grazie, grazie mille, grazie in anticipo, qui, lì,
      li, ancora, di nuovo, si, sì, servizio clienti, assistenza, dell'assistenza, del servizio clienti, io bene, bene grazie, tu, invece, da voi, da quelle parti, in questo momento, adesso, ora,
      senti, senta, dimmi, ehm, una cosa, mondo, oh, come va, 👋, 😊, 🙂, 😀, 😃, 😄, 😁, 😉, 🙏, ☀, 🌞, ❤, 🤗, ☺, 😅, ✋, 🖐, 🤔`,
    ask: `un'informazione, un informazione, un'info, un'indicazione, un'altra domanda, un'altra cosa, un'altra informazione, un'altra richiesta, altra informazione, altre domande, un'assistenza,
      un'esigenza, un'urgenza, urgenza, un'emergenza, emergenza, un inconveniente, un problemino, domanda banale, domanda stupida, domanda per voi, domanda per te, dubbio da chiarire,
      dubbi da chiarire, cosetta, cosetta da chiedere, cosina, paio di cose, paio di domande, due domande, due informazioni, due cose, alcune cose, alcune domande, alcune informazioni,
      qualche informazione, qualche domanda, qualche chiarimento, qualche info, qualche delucidazione, delle informazioni, delle domande, delle delucidazioni, dei chiarimenti, dei dubbi, dritta,
      dritte, suggerimento, suggerimenti, cosa da dirvi, cosa da segnalare, cosa da segnalarvi, cosa importante, cosa urgente, richiesta da fare, richiesta da farvi, richiesta per voi,
      richiesta urgente, richiesta particolare, faccenda da risolvere, situazione da risolvere, situazione complicata, problemone, problema urgente, grosso problema, bel problema, piccolo problema,
      guaio, casino, mano con una cosa, mano a risolvere, po di aiuto, po d'aiuto, d'aiuto, di aiuto, di assistenza, d'assistenza, di supporto, di informazioni, di info, di una mano, di un aiuto,
      di un consiglio, di un'informazione, di voi, di te, domanda, domande, domandina, domanda veloce, domanda semplice, domanda da fare, domanda da farvi, domanda da porre, domande da fare,
      domande da farvi, domanda da farti, domanda da farle, dubbio, dubbi, problema, problemi, problemino, problema da risolvere, questione, quesito, quesiti, richiesta, richieste, informazione,
      informazioni, info, infos, informazioncina, chiarimento, chiarimenti, delucidazione, delucidazioni, consiglio, consigli, curiosità, aiuto, aiutino, assistenza, supporto, mano, cosa da chiedere,
      cosa da chiedervi, cosa da chiederti, cose da chiedere, cose da chiedervi, cosa, spiegazione, piacere, favore, difficoltà, indicazione, indicazioni, informazione veloce, informazioni generali,
      altra domanda, altra cosa, inconveniente, domanda urgente, qualche dubbio, un dubbio`,
    havea: `avrei da chiedere, ho da chiedere, ho da fare, avrei da fare, avrei da farvi, ho da farvi, ho da porvi, vorrei porre, vorrei porvi, vorrei fare, vorrei farvi, vorrei farti, vorrei farle,
      volevo fare, volevo farvi, volevo farti, volevo porre, volevo porvi, vorrei sottoporvi, mi servono solo, mi serve solo, mi servirebbe solo, ho giusto, avrei giusto, avrei anche, ho anche,
      avrei un attimo bisogno, ho proprio bisogno, ho davvero bisogno, ho tanto bisogno, ho bisogno urgente, sto avendo, ho riscontrato, c'ho, ci ho, ho, avrei, ho solo, avrei solo, ho bisogno,
      avrei bisogno, abbiamo, avremmo, abbiamo bisogno, avremmo bisogno, mi serve, mi servono, mi servirebbe, mi servirebbero, ci serve, ci servirebbe, vorrei, vorremmo, volevo, voglio, desidero,
      desidererei, desideravo, gradirei, bisogno, necessito, cerco, cercavo, sto cercando, posso avere, potrei avere, vorrei avere, si può avere, mi occorre, mi occorrono, mi occorrerebbe, scrivo per,
      vi scrivo per, vi contatto per, ti contatto per, avevo, avevo bisogno, avevo solo, ho un attimo bisogno, ho urgente bisogno, servirebbe, avrei necessità, ho necessità, è possibile avere,
      sarebbe possibile avere, devo chiedere, dovrei chiedere, vorrei chiedere, volevo chiedere, volevo avere, volevo chiedervi, vorrei chiedervi, vorrei chiederti, chiederei`,
    helpme: `darmi una manina, darmi qualche dritta, darmi qualche info, darmi delle info, darmi due informazioni, darmi un'info, darmi una risposta, darmi un suggerimento,
      darmi un attimo di attenzione, indirizzarmi, orientarmi, chiarirmi qualche dubbio, chiarirmi dei dubbi, rispondere a delle domande, rispondere ad alcuni quesiti, rispondere a un quesito,
      rispondere a un dubbio, rispondere a due domande, rispondere a un paio di domande, ascoltarmi, ascoltarmi un attimo, aiutarmi in una cosa, aiutarmi a risolvere una cosa,
      aiutarmi a capire una cosa, darmi ascolto, fare qualcosa per me, risolvere un problema, risolvermi un problema, dare qualche info, dare delle info, dare info, dare un consiglio, dare un'info,
      dare assistenza, dare supporto, dare un informazione, informarmi, guidarmi, soccorrermi, aiutarmi, aiutare, aiutarci, aiuti, aiutate, aiuta, dare una mano, darmi una mano, dare un aiuto,
      darmi un aiuto, dare una mano con una cosa, assistermi, assistere, darmi assistenza, darmi supporto, darmi un'informazione, darmi un informazione, darmi delle informazioni,
      darmi qualche informazione, darmi informazioni, darmi un consiglio, darmi info, darmi una dritta, dare un'informazione, dare informazioni, dare delle informazioni, dare qualche informazione,
      rispondermi, rispondere, rispondere a una domanda, rispondere ad una domanda, rispondere a qualche domanda, rispondere ad alcune domande, supportarmi, supportare, consigliarmi, consigliare,
      essermi d'aiuto, essere d'aiuto, essere di aiuto, essermi di aiuto, esserci d'aiuto, aiutarmi con una cosa, aiutarmi con un problema, aiutarmi a risolvere un problema, dedicarmi un minuto,
      togliermi un dubbio, togliere un dubbio, chiarirmi un dubbio, chiarire un dubbio, darmi delucidazioni, darmi un chiarimento, darmi chiarimenti`,
    stopw: `fermiamoci, fermiamoci qui, ci fermiamo, ci fermiamo qui, fermiamo, fermatela, si fermi qui, smettiamo, smettiamola, smettila subito, la smetti, la smettete, la vuoi smettere,
      la volete smettere, la pianti, la finisci, la finiamo, finiscila qui, finisci, chiudiamo qui, chiudiamola qui, chiudila, chiudi qui, chiuda qui, chiudete qui, chiudi la chat, chiudere la chat,
      chiudi la conversazione, termina la chat, termina la conversazione, terminiamo qui, concludiamo qui, fine della conversazione, fine della chat, fine qui, ho finito, abbiamo finito, ho concluso,
      dimentichi, dimenticate, dimentica tutto, dimenticatene, dimenticatevene, lascia correre, lasciamo correre, lascia andare, lasci andare, lascia cadere, lascia sta, lassa sta, lassa perde,
      lassa perdere, lascialo stare, lasciala stare, lasciatelo stare, non preoccuparti, non ti preoccupare, non si preoccupi, non vi preoccupate, non preoccupatevi, tranquillo lascia stare,
      nulla grazie, niente grazie, niente niente, no niente, no nulla, come nn detto, fai finta di niente, fate finta di niente, faccia finta di niente, fai come se non avessi detto niente,
      non ho detto niente, non fare niente, non fare nulla, non faccia nulla, non fate niente, non fate nulla, ignora, ignori, ignorate, ignorami, saltiamo, passiamo oltre, andiamo oltre,
      cambiamo argomento, ritiro la domanda, reset, resetta, torna al menu, torna all'inizio, ricominciamo, ricominciamo da capo, da capo, abort, stai buono, sta buono, stai calmo, stai fermo,
      stia fermo, state fermi, stai muto, mutismo, silenziati, silenzia, tappati la bocca, cuciti la bocca, zitto un attimo, non parlare, non parlare più, non parlarmi, non parlarmi più,
      non voglio parlare, non voglio più parlare, non voglio continuare, non voglio più continuare, non intendo continuare, non mi va, non mi va più, non voglio, non voglio più, non voglio nulla,
      non voglio niente, non desidero nulla, non desidero altro, non cerco niente, non cerco nulla, non mi scrivere, non mi scrivere più, non mi scriva, non mi scriva più, non mi scrivete,
      non mi scrivete più, non mi contattare, non mi contattate, non mi contattate più, non mi disturbare, non mi disturbi, non mi disturbate, non disturbare, non insistere, non insista,
      non insistete, non mi rispondere, non rispondermi, non rispondermi più, non chiedermi altro, non chiedermi più niente, non farmi domande, non farmi più domande, niente domande, niente messaggi,
      niente più messaggi, lasciami respirare, lasciami solo, lasciami tranquillo, lasciatemi tranquillo, mi lasci tranquillo, mi lasci stare, mi lasci perdere, levati di torno, levatevi, togliti,
      togliti di mezzo, togliti dai piedi, si tolga, scompari, sparisca, evapora, vada via, se ne vada, andatevene, ne ho abbastanza, ne ho avuto abbastanza, mi sono stancato, mi sono stufato,
      mi sono stufata, mi sono stancata, mi hai stancato, mi hai stufato, mi avete stancato, mi avete stufato, che stress, può bastare, puo bastare, mi basta così, è sufficiente, per me basta,
      per me può bastare, anche basta, e basta, ora basta, adesso basta, ma basta, no basta, non sono in vena, non è il momento, non ho tempo, ora non posso, adesso non posso, magari poi,
      sarà per un'altra volta, sarà per la prossima, sarà per la prossima volta, facciamo un'altra volta, facciamo dopo, ne riparliamo, ci penso, ci penserò, ci devo pensare, vedrò, vedremo, poi vedo,
      vedo dopo, guardo dopo, lo vedo dopo, ho già risolto, ho risolto da solo, ho risolto da sola, risolvo da solo, mi arrangerò, me la sbrigo da solo, me la cavo, me la vedo io, ci penso io,
      faccio io, faccio per conto mio, cerco altrove, guardo altrove, vado altrove, trovo da solo, ho trovato da solo, ho sbagliato persona, ho sbagliato finestra, chat sbagliata, finestra sbagliata,
      ho premuto per sbaglio, ho cliccato per sbaglio, scusa ho sbagliato, scusate ho sbagliato, declino, assolutamente no, direi di no, grazie no, no ti ringrazio, no vi ringrazio, no la ringrazio,
      va bene lo stesso, vabbè fa niente, vabbè lascia stare, fa niente dai, non ti serve, nah, stop, stopp, stoppa, stoppare, ferma, fermati, fermatevi, si fermi, fermare, basta, basta così,
      basta cosi, bast, smettila, smetti, smettetela, smettete, la smetta, smettere, smetterla, finiscila, finitela, annulla, annullare, annullate, annulli, cancella, cancellare, cancella tutto,
      cancellate, interrompi, interrompere, interrompete, interrompa, esci, uscire, esco, exit, quit, cancel, fine, fine chat, fine conversazione, finire, finito, finita, finiamola, finiamola qui,
      termina, terminare, terminiamo, concludi, concludere, concludiamo, chiudi, chiudere, chiudete, chiudiamo, chiuda, chiudo, chiudi tutto, chiudiamola, abbandona, abbandonare, lascia stare,
      lasciate stare, lasci stare, lascia perdere, lasciate perdere, lasci perdere, lasciamo stare, lasciamo perdere, lascio perdere, lascio stare, lascia, fa niente, non fa niente, fa nulla,
      non fa nulla, non importa, nn importa, niente, nulla, come non detto, come se non avessi detto niente, dimentica, dimenticalo, dimenticatelo, scordatelo, scordatevelo, pazienza, fa lo stesso,
      no grazie, no grz, grazie ma no, grazie ma non, no no grazie, non mi serve, non mi serve più, non serve, non serve più, non ho bisogno, non ho più bisogno, non ne ho bisogno,
      non ne ho più bisogno, non occorre, non è necessario, non c'è bisogno, non mi interessa, non mi interessa più, non sono interessato, non sono interessata, non sono più interessato,
      non sono più interessata, non interessa, nn mi interessa, ho cambiato idea, cambiato idea, ci ho ripensato, ho ripensato, ci ripenso, zitto, zitta, stai zitto, sta zitto, stia zitto,
      state zitti, silenzio, taci, tacete, lasciami in pace, lasciatemi in pace, mi lasci in pace, lasciami stare, lasciatemi stare, lasciami perdere, vattene, vai via, va via, andate via, sparisci,
      sparite, non scrivermi, non scrivermi più, non scrivetemi, non scrivetemi più, non contattarmi più, non contattatemi più, non rispondere, non rispondere più, non rispondete, non disturbarmi,
      non disturbatemi, piantala, piantatela, falla finita, fatela finita, dacci un taglio, mi arrangio, mi arrangio da solo, faccio da solo, faccio da sola, faccio da me, me la cavo da solo,
      mi arrendo, rinuncio, ci rinuncio, lo faccio dopo, non ora, non adesso, magari un'altra volta, un'altra volta, magari dopo, magari più tardi, sto a posto, sono a posto così, a posto così,
      va bene così, ok così, apposto così, siamo a posto così, meglio di no, anche no, disattiva, disattivati, spegniti, disiscrivimi, disiscrivetemi, disiscrizione, annulla tutto, torna indietro,
      ricomincia, ricominciare, ho sbagliato, ho sbagliato chat, mi sono sbagliato, mi sono sbagliata, errore mio`,
    st: `domande, di aiuto, aiuto, voglia, domanda, la domanda, la mia domanda, mia domanda, le mie domande, la mia ultima domanda, ultima, quello che ho scritto, quello che ho chiesto,
      quanto ho scritto, quanto detto, ciò che ho detto, il mio messaggio, i messaggi, questi messaggi, tutti questi messaggi, nah, nope, naa, nn, non, finestra di chat, questa finestra,
      la finestra di chat, questo bot, il bot, questo chatbot, il chatbot, assistente, l'assistente, discorso, il discorso, questo discorso, argomento, con questa, con queste, con questo, con sta,
      con sto, con le, con la, con i, con tutte, con te, con voi, inutili, stupide, solite, le solite, chiedere, chiedermi, farmi perdere, perdere, tempo, il mio tempo, perdere tempo, di perdere,
      ripetere, di ripetere, ripeterti, le stesse cose, stesse, la stessa cosa, tormentarmi, stressarmi, assillarmi, seccarmi, scocciarmi, di mandarmi, di scrivermi, di parlarmi, di rispondermi,
      di farmi, di farmi domande, di rispondere, di scrivere, di insistere, di rompere, di parlare, non mi interessa, interessa, interesse, nessun interesse, lascia, stare, ti ho detto, ho detto,
      vi ho detto, ti ringrazio, vi ringrazio, la ringrazio, gentile, gentilissimo, molto gentile, sei gentile, magari, un'altra, volta, prossima, dopo, poi, più tardi, ci sentiamo, chiamerò,
      direttamente, per telefono, per me, per noi, per conto mio, allora, cortesemente, gentilmente, cortesia, su, forza, oh, ah, uff, uffa, 🙅, 🤚, 😴, 🤐, no, nono, si, sì, ok, okay, va bene, vabbè,
      vabbe, grazie, grazie mille, grazie lo stesso, grazie comunque, per favore, perfavore, per piacere, per cortesia, adesso, ora, subito, immediatamente, tutto, tutti, questo, questa, così, qui,
      qua, lì, la, lo, il, le, l, un, una, i, gli, chat, la chat, questa chat, conversazione, la conversazione, questa conversazione, discussione, sessione, la sessione, dialogo, il dialogo,
      richiesta, la richiesta, la mia richiesta, mia, operazione, l'operazione, procedura, la procedura, processo, finestra, la finestra, in corso, bot, robot, chatbot, stupido, voglio, vorrei,
      desidero, preferisco, preferirei, puoi, può, potete, ti prego, vi prego, la prego, devi, dovete, deve, possiamo, ti, vi, mi, me, ci, te, se, ne, di, da, a, ad, al, con, per, in, e, ma, che, è,
      sei, io, tu, voi, lei, più, piu, niente, nulla, ti chiedo di, vi chiedo di, scrivere, scrivermi, parlarmi, rispondere, rispondermi, mandarmi, mandare, inviarmi, inviare, messaggi, messaggio,
      dei messaggi, farmi domande, fare domande, farmi, tutte queste, queste, questi, disturbarmi, disturbare, infastidirmi, insistere, contattarmi, importunarmi, rompere, davvero, veramente, proprio,
      tanto, ho, ho già, già, risolto, ho risolto, ho già risolto, trovato, ho trovato, fatto, ho fatto, da solo, da sola, altrove, altro, altri, un altro modo, alla fine, infatti, in realtà,
      comunque, continuare, proseguire, andare avanti, oltre, parlare con te, parlare con voi, voglia di, non voglio, non ho, il tuo aiuto, il vostro aiuto, bisogno, scusa, scusi, scusate,
      mi dispiace, spiace, lo stesso, lo faccio, faccio, cerco, guardo, vado, vedo, dai, eh, beh, ecco, quello, cosa, detto, che ho detto, che ho chiesto, chiesto, oggi, per oggi, per ora,
      per il momento, al momento, momento, troppo, complicato, lungo, tardi, idea, solo, mio, 🛑, ✋, ❌, 🙏, 😊, 👍, 🙂, 😡, 😠, 😤, 🙄`,
    insult: `sei un asino, siete degli asini, sei una capra, siete delle capre, capra capra capra, sei una bestia, siete bestie, sei un maiale, brutto maiale, sei un verme, siete vermi, sei un cesso,
      siete un cesso, che cesso, un vomito, da vomito, fai vomitare, fate vomitare, fa vomitare, un catorcio, un rottame, sei un rottame, ammasso di ferraglia, pezzo di ferraglia, sei spazzatura,
      siete spazzatura, è spazzatura, che pena, fai pena, mi fai pena, mi fate pena, senza cervello, non hai cervello, hai un cervello di gallina, cervello di gallina, zero neuroni, crepate, schiatta,
      schiattate, va a morire, vai a morire, vai a morire ammazzato, mortacci tua, mortacci vostri, mortacci, li mortacci, che disastro, un disastro, siete un disastro, sei un disastro, maledetto,
      maledetti, maledetta, maledetto bot, porco, porca, porci, assurdo, è assurdo, infame, ignorante, ignorantone, demente, perdente, parassiti, peggio di così, peggio di, peggio non si può,
      non c'è di peggio, il peggio del peggio, peggio del peggio, mi prendi in giro, prendete in giro, mi prendete in giro, ci prendete in giro, prendi per i fondelli, prendete per i fondelli,
      prendete per fessi, ti rompo, rompete, rompi palle, rompi coglioni, rompiballe, rompiscatole, hai rotto le palle, avete rotto le palle, hai rotto i coglioni, avete rotto i coglioni,
      mi hai rotto le palle, mi hai rotto i coglioni, mi avete rotto le palle, che palle, che due palle, che coglioni, che du palle, che strazio, che schifezza, che porcheria, che merda,
      che stronzata, che cazzata, che cagata, che vergogna, che tristezza, che scempio, che truffa, che imbroglio, che incompetenti, che incapaci, che ignoranti, figlio di una, figli di una,
      figlio de na, figlio di mignotta, fijo de na mignotta, brutto figlio, vafanculo, vaffanculi, vaffankulo, vaffanculo va, vaffan culo, fanc, vfc, vffnc, affanculo va, fankulo, ma vaffanculo,
      andatevene a fanculo, andate affanculo, vai affanculo, va affanculo, andate a farvi, andate a farvi friggere, vai a farti friggere, va a farti friggere, va a ciapà i ratt, va a dar via,
      va a dar via il culo, va a cagher, vai a zappare, andate a zappare, va a lavorare, andate a lavorare, vai all'inferno, andate all'inferno, brucia all'inferno, bruciate all'inferno, al rogo,
      in malora, andate in malora, vai in malora, alla malora, fallite, spero falliate, spero che falliate, dovete fallire, dovete chiudere, ti odio bot, vi detesto, ti detesto, detesto, vi disprezzo,
      ti disprezzo, mi disgusti, mi disgustate, mi ripugni, fai ribrezzo, ribrezzo, ripugnante, ripugnanti, disgusto, nauseante, nauseanti, rivoltante, deludente, deludenti, che delusione, indecenza,
      un'indecenza, indecoroso, indecorosa, inqualificabile, inammissibile, inconcepibile, intollerabile, insopportabile, insopportabili, odioso, odiosa, odiosi, antipatico, antipatica, antipatici,
      presuntuoso, arrogante, arroganti, ipocrita, ipocriti, bastardoni, stronzoni, stronzetto, stronzissimo, coglioncello, coglionaccio, cazzone, cazzoni, cazzaro, cazzari, minchioni, minchia di,
      testa di minchia, teste di minchia, testa di rapa, testa vuota, testa di legno, testa di cavolo, testone, zuccone, zucconi, babbuino, babbei, babbeo, bacucco, gonzo, grullo, grulli, tontolone,
      rincretinito, rincitrullito, scimunito, scimunita, scimuniti, sciocco, sciocca, sciocchi, sciocchezze, stolto, stolti, deficientissimo, decerebrati, cerebrolesi, subnormale, subnormali,
      minorato, minorati, spastico, mentecatto, mentecatti, psicopatico, psicopatici, malati di mente, malato di mente, invasato, fuori di testa, nullità, una nullità, zero assoluto, uno zero,
      nulla facenti, nullafacenti, nullafacente, fannullone, fannulloni, scansafatiche, lavativi, lavativo, pelandroni, pezzenti, pezzente, straccioni, barboni, accattoni, ladroni, ladri di merda,
      truffaldini, truffaldino, lestofanti, furfanti, furfante, filibustieri, banditi, briganti, manigoldi, canaglie, canaglia, carogne, carogna, avvoltoi, usurai, strozzini, sciacalli, sciacallo,
      approfittatori, speculatori, venduti, corrotti, mafioso, camorristi, fascisti, fascista, nazisti, razzisti, razzista, comunisti, bifolchi, zotici, zotico, villani, villano, screanzati, incivile,
      ineducati, inefficienti, inefficiente, inefficienza, dilettanti, dilettante, improvvisati, incompetentissimi, non funziona un cazzo, non va un cazzo, non capisci mai, non capisci mai niente,
      non capisci proprio niente, non capisci proprio nulla, non capisci un accidente, non capisci un'acca, non capisci una sega, non capisci una ceppa, non capisci una minchia, non capite una mazza,
      non capite proprio niente, non capite proprio nulla, nn capisci nulla, nn capite niente, non hai capito niente, non hai capito nulla, non hai capito un cazzo, non avete capito niente,
      non avete capito un cazzo, non servi proprio a niente, non servi proprio a nulla, non servi a un tubo, non servi a una mazza, non servi a una minchia, nn servi a un cazzo,
      non servite a un cazzo, non servite proprio a niente, non serve proprio a niente, non serve proprio a nulla, non serve a una mazza, non servi, non mi servi a niente, non mi servi,
      non mi servi a nulla, non mi sei utile, non sei utile, non sei capace, non siete capaci, non sei buono a nulla, non sai fare un cazzo, non sai fare nulla, non sapete fare nulla,
      non sapete fare un cazzo, non sapete lavorare, non vali un cazzo, non valete un cazzo, non vali una cicca, non vali nulla, sei scemo, sei fuso, sei tonto, sei duro, sei ottuso, ottuso, ottusi,
      sei sordo, sei cieco, sei di coccio, di coccio, duro di comprendonio, sei peggio, siete peggio, sei ridicolo, ti butto, ti spacco, ti brucio, ti denuncio, vi denuncio, vi denuncerò,
      vi faccio causa, ci vediamo in tribunale, pd, dioporco, dio porco, porcodio, diocane, dio bestia, porca madonna, porca vacca, porca paletta, porco mondo, porca eva, porco il clero,
      madonna santa che schifo, mannaggia, mannaggia a te, mannaggia a voi, mannaggia la miseria, accidenti a te, accidenti a voi, al diavolo voi, che cavolo, del cavolo, dei miei stivali,
      da due soldi, da quattro soldi, da strapazzo, di bassa lega, cacata, cacate, na merda, na schifezza, na vergogna, uno schifo totale, schifo totale, schifo assoluto, vergogna assoluta,
      merda secca, merdaccia, merdacce, merdina, merdata, culattone, culattoni, busone, bagascia, baldracca, battona, sgualdrina, zoccole, troie, troietta, troione, puttanella, puttaniere, pompinaro,
      succhiacazzi, leccaculo, leccaculi, rottinculo, rotto in culo, faccia di culo, faccia da culo, facce di merda, facce da culo, faccia di bronzo, facce di bronzo, facce toste, stupido, stupida,
      stupidi, stupide, stupidissimo, stupidaggine, stupidaggini, scemo, scema, scemi, sceme, idiota, idioti, idiote, idiozia, cretino, cretina, cretini, imbecille, imbecilli, deficiente, deficienti,
      deficente, deficenti, ebete, ebeti, dementi, ritardato, ritardata, ritardati, mongoloide, mongoloidi, handicappato, cerebroleso, decerebrato, coglione, cogliona, coglioni, coglionazzo, stronzo,
      stronza, stronzi, stronze, stronzata, stronzate, cazzata, cazzate, cazzo, cazzi, del cazzo, che cazzo, testa di cazzo, teste di cazzo, faccia di merda, pezzo di merda, pezzi di merda, merda,
      merde, merdoso, merdosa, di merda, vaffanculo, affanculo, fanculo, fan culo, vaffan, vaff, vaffa, vaffanbagno, va a cagare, vai a cagare, vai a cacare, andate a cagare, andate a fanculo,
      vai a fanculo, va a fanculo, a quel paese, va a quel paese, vai a quel paese, andate a quel paese, all'inferno, al diavolo, vai al diavolo, andate al diavolo, vai a farti fottere, vai a farti,
      andate a farvi fottere, fottiti, fottetevi, fottuto, fottuta, fottuti, ammazzati, ammazzatevi, puttana, puttane, troia, zoccola, mignotta, figlio di puttana, figli di puttana, figlio di troia,
      bastardo, bastarda, bastardi, infami, schifo, schifoso, schifosa, schifosi, schifezza, schifezze, uno schifo, che schifo, fai schifo, fate schifo, fa schifo, fa cagare, fai cagare, fate cagare,
      fa pena, fate pena, fai ridere, fate ridere, fa ridere, pietoso, pietosa, pietosi, patetico, patetica, patetici, ridicolo, ridicola, ridicoli, ridicole, vergogna, vergognatevi, vergognati,
      una vergogna, vergognoso, vergognosa, vergognosi, vergognose, scandaloso, scandalosa, indecente, indecenti, indegno, indegna, pessimo, pessima, pessimi, pessime, terribile, terribili, orribile,
      orrendo, orrenda, penoso, penosa, penosi, osceno, squallido, squallidi, disastroso, disgustoso, disgustosi, inaccettabile, inutile, inutili, inutilissimo, incapace, incapaci, incompetente,
      incompetenti, incompetenza, inetto, inetti, buono a nulla, buoni a nulla, buono a niente, buoni a niente, buona a nulla, non servi a niente, non servi a nulla, non servi a un cazzo,
      non servite a niente, non servite a nulla, non serve a niente, non serve a nulla, non serve a un cazzo, non capisci niente, non capisci nulla, non capisci un cazzo, non capisci un tubo,
      non capisci una mazza, non capite niente, non capite nulla, non capite un cazzo, non capisce niente, non capisce nulla, non capisce un cazzo, nn capisci niente, nn capisci un cazzo,
      nn servi a niente, nn servi a nulla, non sai niente, non sai nulla, non sai fare niente, non sapete fare niente, non sapete niente, non sai un cazzo, non vali niente, non valete niente,
      non valete nulla, ladro, ladri, truffatore, truffatori, imbroglione, imbroglioni, delinquente, delinquenti, criminali, farabutto, farabutti, mascalzone, mascalzoni, disonesto, disonesti,
      bugiardo, bugiarda, bugiardi, pagliaccio, pagliacci, pagliacciata, buffone, buffoni, buffonata, cialtrone, cialtroni, incivili, cafone, cafoni, maleducato, maleducati, ignoranti, analfabeta,
      somaro, somari, porco dio, dio cane, porca miseria, porca puttana, porca troia, porco cane, porco giuda, minchia, minchione, minchiata, minchiate, pirla, pirlone, tonto, tonti, fesso, fessi,
      citrullo, rincoglionito, rincoglioniti, rimbambito, rimbecillito, sfigato, sfigati, fallito, falliti, feccia, un cesso, cagata, cagate, cagata pazzesca, munnezza, ciarpame, ferrovecchio,
      trabiccolo, presa in giro, presa per il culo, presa per i fondelli, prendi per il culo, prendete per il culo, mi state prendendo in giro, mi stai prendendo in giro,
      mi state prendendo per il culo, mi stai prendendo per il culo, mi hai rotto, mi avete rotto, hai rotto, avete rotto, hai rotto il cazzo, avete rotto il cazzo, rotto le palle, rotto le scatole,
      rotto i coglioni, rompi le palle, rompicoglioni, rompipalle, ti odio, vi odio, mi fai schifo, mi fate schifo, mi fai vomitare, vomitevole, mi fai incazzare, mi fate incazzare, perdita di tempo,
      una perdita di tempo, tempo perso, tempo sprecato, grazie per niente, grazie di niente, grazie al cazzo, grazie di nulla, peggiore, il peggiore, la peggiore, il peggior, la peggior, peggiori,
      peggior, puzzate, chiudi il becco, chiudi la bocca, chiudi quella bocca, chiudi quella fogna, chiudete il becco, cesso di, succhiamelo, suca, sucate, sukate, attaccati al cazzo, frocio,
      ricchione, negro, terrone, fuck, fuck you, fuck off, shit, bullshit, bitch, wtf, mafiosi, sanguisughe, una barzelletta, barzelletta, 🖕, 💩, 🤬, 🤮`,
    ab: `d'italia, italia, in italia, d'europa, dell'anno, del secolo, della storia, della terra, sulla terra, sulla faccia della terra, mercato, sul mercato, un'azienda, dell'azienda, l'azienda,
      quest'azienda, st'azienda, un'assistenza, l'assistenza, dell'assistenza, quest'assistenza, quest'app, l'app, dell'app, un'app, un'ia, l'ia, l'ai, un'intelligenza, intelligenza, quest'ia, sasso,
      un sasso, mattone, muro, tombino, palo, bradipo, gallina, pietra, zucca, una scarpa, ciabatta, come una ciabatta, criceto, tastiera, gente onesta, onesta, fiducia, nostro, nostra, nostri, loro,
      lui, lei, suo, sua, suoi, voi tutti, tutti quanti, compresi, siete tutti, tua sorella, tua nonna, sorella, nonna, famiglia, tua famiglia, vostra, i vostri, le vostre, vostre madri, santa, santo,
      madonna, porca miseria, miseria, inferno, all'inferno, diavolo, via, fuori, dentro, sotto, sopra, mentre, quindi, allora, poi, adesso, ora, oggi, di nuovo, continuamente, sempre più, ormai,
      infatti, insomma, appunto, certo, chiaro, ovvio, ovviamente, chiaramente, decisamente, incredibilmente, estremamente, particolarmente, pessimamente, male, malissimo, schifosamente, abbastanza,
      parecchio, assai, un po, po, quasi, praticamente, sembra, sembrano, pare, parlare, parli, parlate, dici, dite, dire, detto, dai, dà, dato, scrivi, scrivete, leggi, leggete, leggere, capire,
      capito, saputo, sapete, sai, sa, sapere, aiutare, aiuti, aiutate, aiutato, rispondete, risponde, rispondi sempre, lavorate, lavori, meritate, meriti, merita, dovete, dovreste, devi, dovresti,
      deve, vergognarvi, vergognarti, andarvene, trattare, trattate, trattamento, in questo modo, così che, uguale, uguali, stesso, stessa, stesse, stessi, cose, cosa, parola, parole, una parola,
      sola, sole, volta, ultima, mai più, nient'altro, altro che, intelligente, intelligenza artificiale dei miei, umano, umani, essere umano, persona, uomo, donna, bambino, scimmia, una scimmia,
      animale, animali, zero stelle, stelle, recensione, voto, livello, basso, infimo, credibilità, serietà, professionalità, educazione, decenza, pudore, competenza, onestà, organizzazione,
      comunicazione, amen, punto, ecco, lol, ahah, haha, bah, puah, bleah, uff, uffa, ops, wow, ué, aò, ao, ahò, oh dio, o, oppure, anzi, visto che, siccome, 👎, 😑, 😏, 🙃, 😆, sei, siete, 6, tu, te, voi,
      è, e, ed, sono, era, siamo, un, uno, una, un', il, lo, la, l, i, gli, le, di, del, dello, della, delle, dei, degli, d, da, a, al, alla, ai, in, con, per, che, chi, quanta, come, più, piu, così,
      cosi, tanto, troppo, molto, proprio, davvero, veramente, solo, soltanto, completamente, totalmente, assolutamente, altro, altri, non, nn, no, niente, nulla, mai, ma, se, si, ci, vi, ti, mi, ne,
      me, questo, questa, questi, queste, sto, sta, sti, ste, quel, quella, bot, robot, chatbot, chat, macchina, ia, intelligenza artificiale, artificiale, assistente, assistenza, servizio,
      servizio clienti, servizi, clienti, cliente, azienda, ditta, società, compagnia, sito, app, applicazione, negozio, banca, marca, coso, programma, sistema, computer, aggeggio, roba, vostro,
      vostri, vostre, tuo, tua, tuoi, tue, tutti, tutte, tutto, tutta, brutto, brutta, brutti, sporco, sporchi, grande, grandi, gran, grandissimo, grandissima, grandissimi, grosso, piccolo, povero,
      poveri, povera, vecchio, pezzo, pezzo di, pezzi, banda, banda di, branco, branco di, massa di, manica, manica di, mucchio, mucchio di, razza, razza di, specie, specie di, ammasso, gruppo, testa,
      teste, faccia, fai, fa, fate, fanno, fare, vai, va, andate, ho, hai, avete, ha, visto, vita, mia vita, mia, mondo, del mondo, al mondo, esiste, terra, ever, capisci, capite, capisce, servi,
      servite, serve, rispondi, risposte, risposta, rispondere, tua madre, madre, mamma, tua mamma, culo, nel culo, in culo, palle, le palle, dio, cristo, mamma mia, grazie, complimenti, bravo, bravi,
      ah, oh, eh, beh, boh, mah, ma dai, senti, sul serio, serio, sinceramente, onestamente, letteralmente, semplicemente, sempre, ancora, pure, anche, nemmeno, neanche, manco, schifo, perfino, cazzo,
      ogni, volte, qui, là, lì, senza, vergogna, cervello, rispetto, dignità, scrupoli, gente, persone, lavoro, lavorare, virtuale, automatico, vero, vera, veri, bel, bella, bello, buono, buoni,
      capaci, capace, solo capaci, far, essere, esseri, sembri, sembrate, mio, miei, tempo, mi state, mi stai, stai, state, il mio tempo, sprecare, perdere, perso, perdo, facendo, facendomi,
      mai visto, mai vista, qualità, esperienza, tasca, stufo, stufa, basta, peggio, meglio, nessuno, zero, sottozero, dell, sia, fosse, potete, potevate, puoi, andare, tornatene, tornate, voialtri,
      chiunque, inventato, ti ha, ti ha programmato, programmato, creato, stato, stata, intelligenti, solito, soliti, 😡, 😠, 🤬, 😤, 🙄, 😂, 🤣, 💩, 🖕, 🤮, 🤡, 😒`,
    youare: `è, questa qui è, questo qui è, sto a parlare con, sto a parlà con, stiamo parlando con, mi sto rivolgendo a, mi sto interfacciando con, mi sto rapportando con, saresti un, sareste,
      lei sarebbe, dietro questa chat c'è, dietro lo schermo c'è, dietro la tastiera c'è, è vero che sei, è vero che siete, confermi di essere, sei forse, ti risulta di essere, chi mi risponde,
      chi risponde, chi mi scrive, chi scrive, sembri, mi sembri, mi sa che sei, si tratta di, mi sta rispondendo, mi risponde, mi stanno rispondendo, a rispondermi è, a rispondere è, a scrivermi è,
      sei, 6, siete, lei è, tu sei, voi siete, ma sei, questo è, questa è, questa chat è, sto parlando con, sto parlando ad, sto parlando a, sto parlando, sto chattando con, sto scrivendo a,
      sto scrivendo ad, sto comunicando con, sto interagendo con, sto conversando con, sto dialogando con, parlo con, parlo ad, parlo a, con chi parlo, ho a che fare con, ho a che fare, non sei,
      non siete, non è, nn sei, non sarai, sarai, sarete, saresti, sta rispondendo, mi trovo a parlare con, siete dei, sei per caso, sei solo, sei davvero, sei veramente, è davvero,
      dall'altra parte c'è, dietro c'è, qui c'è, dietro questo schermo c'è, mi stai rispondendo, chi risponde è, chi mi risponde è, chi scrive è`,
    being: `chat automatica, chat automatizzata, chat bot automatico, servizio automatico, servizio automatizzato, programma automatico, risponditore virtuale, assistente digitale, assistente ia,
      assistente ai, agente virtuale, agente conversazionale, robot parlante, bot automatico, persona fisica, persone vere, persone reali, vera persona, qualcuno di umano, llm, mistral, copilot,
      deepseek, openai, bing, umana, risposta automatica, risposte automatiche, risposte preimpostate, risposta preimpostata, essere vivente, essere umano vero, essere umano reale, umano vero,
      umano reale, operatore vero, operatore in carne, operatrice umana, operatrice vera, operatrice reale, persona in carne, robot, bot, chatbot, chat bot, umano, umani, l'umano, essere umano,
      persona reale, persona vera, ia, un'ia, l'ia, ai, un'ai, intelligenza artificiale, un'intelligenza artificiale, un intelligenza artificiale, l'intelligenza artificiale, assistente virtuale,
      un'assistente virtuale, automa, risponditore automatico, risponditore, operatore umano, operatore reale, operatore virtuale, chatgpt, chat gpt, gpt, gemini, siri, alexa, algoritmo,
      qualcuno di vero, qualcuno di reale, in carne ed ossa, in carne e ossa, carne e ossa, modello linguistico, sistema automatico, sistema automatizzato`,
    bid: `in carne e ossa, in carne ed ossa, quale, che tipo di, tipo di, un tipo di, una sorta di, sorta di, gestito da, gestita da, gestito da un, gestita da un, gestita da una, comandato da,
      scritto da, da, del tutto, completamente, totalmente, interamente, alla fine, soltanto un, unicamente, un semplice, una semplice, simpatico, bravo, bella, bel, nemmeno, reale, davvero,
      veramente, proprio, realmente, solo, soltanto, un, uno, una, un', 1, il, lo, la, l, le, i, dei, degli, di, con, con un, con una, ad un, ad una, a un, a una, da un, da una, vero, vera,
      vero e proprio, semplice, anche, ancora, sempre, forse, per caso, mica, adesso, ora, qui, in realtà, tipo, specie di, una specie di, piuttosto, tu, te, lei, voi, bensì, magari, non, dico,
      qualche, nessun`,
    tail: `dell'azienda, della ditta, dell'assistenza, del servizio clienti, di voi, del vostro team, del team, al telefono, a scrivermi adesso, che legge, che mi legge, a leggere, a gestire,
      che gestisce, che sta rispondendo, che mi sta rispondendo, che sta scrivendo, che mi sta scrivendo, con cui sto chattando, con cui sto scrivendo, quella con cui parlo, quello con cui parlo,
      qui dentro, lì dentro, lì dietro, dietro a tutto, dietro a questa chat, dietro al bot, dietro la chat, dietro a questo schermo, dietro a questi messaggi, dietro questi messaggi, dall'altro lato,
      dall'altro capo, programmato, programmata, automatizzata, conversazionale, generativa, di google, di openai, o simili, o qualcosa del genere, o qualcosa di simile, o che, oppure no, oppure,
      ammettilo, confessa, di la verità, dica la verità, sii sincero, sia sincero, please, stupido, lol, ahah, 👀, 😄, 😏, 😁, reale, vero, vera, umano, umana, fisica, fisico, virtuale, vivo, viva,
      vivente, in carne ed ossa, in carne e ossa, artificiale, automatico, automatica, che risponde, che mi risponde, che parla, che mi parla, che scrive, che mi scrive, a rispondere, a rispondermi,
      a scrivere, a scrivermi, dietro, dietro lo schermo, dietro questa chat, dietro questo schermo, dietro al computer, dietro la tastiera, dietro questo bot, dall'altra parte, dello schermo, qui,
      lì, no, eh, vero o no, o no, o cosa, o che cosa, o sbaglio, giusto, per favore, per caso, dimmi, dimmelo, dimmi la verità, esattamente, in realtà, adesso, ora, in questo momento, o altro,
      intelligente, o meno, quello che risponde, chi risponde, chi mi risponde, chi sei, davvero, veramente, con cui parlo, con cui sto parlando, automatizzato, tu, lei, voi, sul serio, mi chiedo,
      secondo te, ti prego, sì o no, si o no, 🤔, 😂, 😅, 😊, 🙂, 🤖`,
    start: `aò, ao, oh, we, uè, re, beh, mah, e comunque, e scusa, e scusi, solo una domanda, una domandina, giusto per sapere, tanto per sapere, così per sapere, per sapere, per capire,
      solo per capire, giusto per capire, volevo capire, vorrei capire, non capisco, non capisco se, non so, non so se, prima di continuare, prima di iniziare, prima di procedere, prima,
      posso farti una domanda, posso fare una domanda, posso chiederti se, puoi dirmi se, mi dici se, mi dica se, ditemi se, dimmi se, ditemi, mi dite, mi spieghi, mi spiega, spiegami,
      mi può spiegare, mi puoi spiegare, ammettilo, confessa, rispondi, risponda, rispondimi, mi risponda, mi raccomando, per caso, davvero, seriamente, no, no scusa, si ma, sì ma, va bene ma, ok ma,
      ma insomma, insomma, ma senti, ma dimmi, ma davvero, pardon, perdona, perdoni, perdonami, chiedo scusa, ciao, salve, buongiorno, buonasera, hey, ehi, hello, e, ma, scusa, scusi, scusate,
      mi scusi, dimmi, mi dica, senti, senta, allora, ehm, a proposito, ma scusa, ma scusi, aspetta, aspetti, un attimo, un momento, prima di tutto, innanzitutto, una domanda, domanda, una curiosità,
      curiosità, per curiosità, solo per curiosità, mi chiedevo, mi chiedo, mi domandavo, vorrei sapere, volevo sapere, posso sapere, si può sapere, potrei sapere, mi piacerebbe sapere, voglio sapere,
      mi puoi dire, mi può dire, puoi dirmi, può dirmi, potresti dirmi, potrebbe dirmi, potete dirmi, mi potete dire, mi dici, mi sai dire, sai dirmi, fammi capire, fatemi capire, posso chiederti,
      posso chiederle, posso chiedere, se, tu, voi, lei, ma tu, e tu, ma lei, ok, quindi, sinceramente, onestamente, dimmi la verità, sul serio, per favore, ma allora, allora dimmi, non ho capito,
      in realtà, ah, boh, ma quindi`,
    idq: `ki 6, ki 6 tu, chi 6 tu, ke sei, cosa 6, kome ti kiami, come ti kiami, cm ti chiami, qual e il tuo nome, quale il tuo nome, ki sei tu, ki siete, ma chi sei, ma chi siete, ma tu chi sei,
      ma lei chi è, ma voi chi siete, e tu chi sei, e voi chi siete, chi cavolo sei, chi diavolo sei, chi cazzo sei, ma chi cazzo sei, e chi sei, chi sei veramente, chi sei davvero, chi sei in realtà,
      chi è lei scusi, chi è che mi risponde, chi è che mi scrive, chi è che mi sta rispondendo, chi è che sta scrivendo, chi c'è dietro questa chat, chi c'è dietro questo bot,
      chi c'è dietro lo schermo, chi c'è di là, chi c'è qui, chi c'è in linea, chi c'è dietro a questa chat, chi sta dietro, chi sta dietro a questa chat, chi gestisce questa chat,
      chi gestisce il bot, chi risponde a questa chat, chi risponde in questa chat, chi risponde qui, chi risponde ai messaggi, chi legge, chi legge i messaggi, a chi mi sto rivolgendo,
      a chi mi rivolgo, con chi mi sto interfacciando, con chi ho l'onore, con chi sto avendo a che fare, con chi sto discutendo, con chi sto conversando, con chi sto dialogando, con chi chatto,
      con chi sto messaggiando, con che cosa sto parlando, con cosa parlo, sto a parlare con chi, hai un nome o, te come ti chiami, e tu come ti chiami, e lei come si chiama, il tuo nome è,
      il tuo nome qual'è, qual è il tuo vero nome, hai nome, come ti hanno chiamato, che nome ti hanno dato, ti hanno dato un nome, mi dici come ti chiami, mi dica come si chiama,
      dimmi come ti chiami, mi dice come si chiama, posso sapere il tuo nome, posso sapere il suo nome, posso sapere come ti chiami, posso sapere chi sei, posso sapere con chi parlo,
      posso sapere con chi sto parlando, si può sapere chi sei, come posso chiamarvi, come ti posso chiamare, come dovrei chiamarti, di che sesso sei, sei un uomo o una donna, sei una donna o un uomo,
      sei ragazzo o ragazza, sei etero, sei fidanzato, sei fidanzata, sei single, sei sposato, quanti anni ha, che età ha, quando sei nato, quando sei nata, quando sei stato creato, dove sei nato,
      dove abiti, dove stai, dove sei, da dove scrivi, da dove rispondi, da dove scrivete, di dove siete, da dove venite, sei italiano, parli italiano, parli inglese, che lingue parli,
      quali lingue parli, quante lingue parli, che lingua parli, in che lingua parli, provi sentimenti, provi qualcosa, hai emozioni, hai un'anima, hai una coscienza, hai coscienza, sai pensare,
      sei in grado di pensare, esisti, quanto sei intelligente, che versione sei, che versione di chatgpt sei, usi chatgpt, usate chatgpt, sei basato su chatgpt, ti basi su chatgpt,
      su cosa sei basato, su cosa funzioni, su quale modello sei basato, su quale ia ti basi, su quale tecnologia ti basi, che tecnologia usi, che tecnologia usate, quale tecnologia usi, che llm usi,
      che modello linguistico usi, che modello di ia usi, che modello di ia sei, quale modello di ia usi, che tipo di intelligenza artificiale sei, che tipo di ai sei, che tipo di chatbot sei,
      che razza di robot sei, che razza di assistente sei, che specie di bot sei, cosa diavolo sei, cosa cavolo sei, cosa sei tu, cosa sei esattamente, cosa sei di preciso, che cosa sei tu,
      che cosa è questo, che cosa è questa chat, cosa è questo, cos'è questo servizio, che è sta chat, che roba è questa, che è questo, questa chat cos'è, presentati per favore, ti presenti,
      ti puoi presentare, puoi presentarti, può presentarsi, si può presentare, raccontami qualcosa di te, raccontami chi sei, dimmi di più su di te, parlami un po' di te, mi parli di lei,
      mi parli di te, parla di te, descriviti, per chi lavori, per chi lavora, per chi lavorate, lavori per, lavori qui, lavora qui, lavori per questa azienda, a chi appartieni, di chi sei,
      chi ti paga, chi ti comanda, chi ti controlla, chi ti gestisce, chi ti ha messo qui, chi ti ha mandato, chi è il tuo creatore, chi è il tuo capo, chi è il tuo padrone, chi sono i tuoi creatori,
      chi sono i tuoi sviluppatori, il tuo creatore, chi sei, chi 6, ki sei, chi siete, chi è lei, lei chi è, tu chi sei, chi sei tu, voi chi siete, chi siete voi, chi saresti, chi sareste, chi è,
      chi è che parla, chi è che scrive, chi è che risponde, che cosa sei, cosa sei, che sei, cosa siete, che cosa siete, tu cosa sei, cosa saresti, sei cosa, chi parla, chi risponde, chi mi risponde,
      chi mi scrive, chi scrive, chi c'è, chi c'è dietro, chi c'è dall'altra parte, chi c'è lì, chi si nasconde dietro, chi sta rispondendo, chi mi sta rispondendo, chi sta scrivendo,
      chi mi sta scrivendo, con chi parlo, con chi sto parlando, con chi sto chattando, con chi ho il piacere, con chi ho il piacere di parlare, con chi ho l'onore di parlare, con chi ho a che fare,
      con chi sto comunicando, con chi sto scrivendo, a chi sto scrivendo, con chi scrivo, a chi scrivo, con chi sono in contatto, con chi mi sto relazionando, con chi sto interagendo,
      sto parlando con chi, parlo con chi, con cosa sto parlando, come ti chiami, come si chiama, come vi chiamate, tu come ti chiami, lei come si chiama, ti chiami, ti chiami come, come t chiami,
      qual è il tuo nome, qual'è il tuo nome, quale è il tuo nome, qual è il suo nome, qual'è il suo nome, qual è il vostro nome, il tuo nome, il suo nome, il tuo nome qual è, tuo nome,
      dimmi il tuo nome, mi dici il tuo nome, mi dica il suo nome, mi dice il suo nome, hai un nome, ha un nome, avete un nome, ce l'hai un nome, hai un nome tu, che nome hai, come ti chiamano,
      come devo chiamarti, come posso chiamarti, come ti devo chiamare, come la devo chiamare, come posso chiamarla, che tipo di bot sei, che tipo di robot sei, che tipo di assistente sei,
      che tipo di ia sei, che genere di bot sei, che razza di bot sei, che bot sei, che ia sei, che ai sei, quale ia sei, quale ai sei, che modello sei, che modello usi, quale modello usi, che ia usi,
      quale ia usate, che ai usi, che intelligenza artificiale sei, che intelligenza artificiale usi, quale intelligenza artificiale usate, su cosa ti basi, su che modello ti basi, presentati,
      si presenti, presentatevi, parlami di te, raccontami di te, dimmi qualcosa di te, parlami un po di te, dimmi chi sei, mi dica chi è, mi dici chi sei, identificati, si identifichi,
      quanti anni hai, che età hai, di dove sei, da dove vieni, dove vivi, dove ti trovi, sei reale, esisti davvero, esisti veramente, sei vivo, hai sentimenti, hai dei sentimenti, provi emozioni,
      sei intelligente, cos'è questo bot, cos'è questa chat, cosa è questa chat, che cos'è questa chat, che cos'è questo bot, cos'è questo chatbot, che cos'è questo, cos'è questo coso,
      cos'è questa cosa, sei maschio o femmina, sei un maschio o una femmina, sei uomo o donna`,
    made: `chi ti, chi è che vi ha, ma chi ti ha, chi ha mai, dimmi chi ti ha, mi dici chi ti ha, chi cavolo ti ha, chi t ha, chi te ha, da quale azienda sei stato, da quale azienda sei stata,
      da che azienda sei stato, da quale società sei stato, da chi sei, da chi siete, da chi vieni, chi sono quelli che ti hanno, chi sono le persone che ti hanno, quale team ti ha, quale ditta ti ha,
      chi è stato a, chi ti ha, chi t'ha, chi vi ha, chi l'ha, chi la ha, da chi sei stato, da chi sei stata, da chi siete stati, da chi è stato, sei stato, sei stata, siete stati,
      quale azienda ti ha, che azienda ti ha, quale società ti ha, che ditta ti ha, chi è il tuo, chi sono i tuoi, quando sei stato, come sei stato, chi è che ti ha`,
    maker: `inventarti, progettarti, addestrarti, farti, fatto te, sviluppati, ideata, concepito, partorito, configurato, impostato, installato, messo in piedi, messo al mondo, assunto, costruirti,
      gestito, gestita, controllato, alimentato, scritto il codice, creato te, ha creato, ha programmato, ha sviluppato, creato, creata, creati, crearti, programmato, programmata, programmati,
      programmarti, sviluppato, sviluppata, svilupparti, fatto, fatta, costruito, costruita, progettato, progettata, inventato, inventata, realizzato, realizzata, addestrato, addestrata, ideato,
      scritto, messo qui, messo online, prodotto, creatore, creatori, programmatore, programmatori, sviluppatore, sviluppatori, inventore, padrone, proprietario, capo, produttore, gestisce,
      ti gestisce, controlla, ti controlla, lavori, creato questo bot, creato questa chat, fatto questo bot, sviluppato questo bot, sviluppato questo chatbot, programmato questo bot,
      creato questo chatbot`,
    cando: `cosa sai fare di bello, che sai fa, che cosa sapete fare, che cosa potete fare, cosa mi sai dire, cosa sapresti fare, cosa potresti fare, cosa potresti fare per me,
      cosa potrebbe fare per me, cosa puoi offrirmi, cosa mi puoi offrire, cosa mi offri, cosa mi puoi dire, cosa puoi dirmi, quali cose sai fare, quali cose puoi fare, che cose sai fare,
      che cose puoi fare, quali sono le cose che sai fare, quali sono le tue abilità, quali sono le tue competenze, quali sono le tue mansioni, quali sono i tuoi limiti, quali sono le sue funzioni,
      quali sono le sue capacità, quali sono le sue competenze, quali sono le tue potenzialità, quali sono le tue specialità, qual è la tua specialità, qual è la tua mansione, qual è la tua missione,
      qual è il tuo lavoro, qual è il tuo obiettivo, qual è il vostro compito, qual è il vostro ruolo, qual è lo scopo di questa chat, qual è lo scopo di questo bot, qual è la funzione di questa chat,
      qual è la funzione di questo bot, quale è il tuo compito, quale è il tuo scopo, quale è la tua funzione, quale è il tuo ruolo, qual'è il tuo ruolo, qual'è il tuo lavoro, che competenze hai,
      che abilità hai, che poteri hai, che limiti hai, che mansioni hai, che scopo hai, che utilità hai, perché sei qui, perchè sei qui, perché esisti, per cosa sei stato creato, a cosa puoi servirmi,
      a cosa mi servi, a cosa mi puoi servire, a cosa saresti utile, a cosa sei utile, a che mi servi, a cosa servirebbe questa chat, a cosa serve questo assistente, a che serve questo chatbot,
      a che serve sta chat, a che cosa servite, per cosa sei qui, per cosa sei programmato, cosa sei programmato per fare, cosa sei programmato a fare, di cosa ti occupi tu, di cosa ti puoi occupare,
      di che cosa ti occupi, di cosa sei esperto, di cosa sei in grado, di cosa sei capace tu, di cosa è capace, di che sei capace, di cosa siete capaci, in cosa sei specializzato,
      in cosa sei esperto, in cosa consiste il tuo lavoro, in cosa consiste questo servizio, in cosa potresti aiutarmi, in cosa mi potresti aiutare, in cosa potrebbe aiutarmi,
      in cosa mi potrebbe aiutare, in cosa sei utile, in cosa può essermi utile, in cosa puoi essere utile, in che cosa mi puoi aiutare, in che cosa può aiutarmi, in che cosa mi può aiutare,
      in che cosa potete aiutarmi, in che modo potete aiutarmi, in che modo mi può aiutare, in quali ambiti puoi aiutarmi, in quale modo puoi aiutarmi, su quali argomenti puoi aiutarmi,
      su quali argomenti mi puoi aiutare, su cosa mi puoi aiutare, su cosa può aiutarmi, su cosa puoi darmi informazioni, che informazioni puoi darmi, che informazioni mi puoi dare,
      quali informazioni puoi darmi, quali informazioni mi puoi dare, che tipo di domande posso farti, che tipo di domande posso fare, che tipo di informazioni puoi darmi,
      che tipo di aiuto puoi darmi, che tipo di assistenza offri, che tipo di richieste posso fare, quali richieste posso fare, che genere di domande posso farti,
      a che tipo di domande puoi rispondere, a quale tipo di domande rispondi, a quali domande rispondi, a quali quesiti puoi rispondere, posso chiederti qualsiasi cosa, posso chiederti tutto,
      posso chiederti di tutto, sai fare altro, che altro sai fare, cos'altro sai fare, cosa altro sai fare, cos'altro puoi fare, sai fare qualcosa, sai fare qualcos'altro, come ti uso,
      come ti si usa, come posso usarti, come si usa questa chat, come si usa questo bot, come si usa questo chatbot, come funziona questo assistente, come funziona questo coso, come funziona sto bot,
      come funziona il bot, come funziona il chatbot, come funzioni tu, come mi aiuti, come mi aiuteresti, come aiuti, come mi potresti aiutare, come potrebbe aiutarmi, come mi potrebbe aiutare,
      come mi può essere utile, come puoi essermi utile, come può essermi utile, come puoi essermi d'aiuto, come può essermi d'aiuto, come puoi rendermi la vita facile, mi dici cosa sai fare,
      mi dici cosa puoi fare, dimmi cosa puoi fare, dimmi cosa sai fare tu, fammi vedere cosa sai fare, spiegami a cosa servi, spiegami cosa puoi fare, spiegami cosa fai, mi spieghi a cosa servi,
      mi spieghi cosa puoi fare, mi spieghi come funzioni, elencami le tue funzioni, elenco delle tue funzioni, le tue funzioni, le tue capacità, lista delle tue funzioni, cosa sai fare,
      cosa puoi fare, che cosa sai fare, che cosa puoi fare, che sai fare, che puoi fare, cosa sa fare, cosa può fare, cosa puo fare, che cosa può fare, cosa sapete fare, cosa potete fare, cosa fai,
      cosa fate, che cosa fai, che fai tu, cosa riesci a fare, cosa sei in grado di fare, che cosa sei in grado di fare, cosa siete in grado di fare, di cosa sei capace, di che cosa sei capace,
      a cosa servi, a che cosa servi, a che servi, a cosa serve questo bot, a cosa serve questa chat, a cosa serve questo chatbot, a che serve questo bot, a che serve questa chat, a cosa servite,
      a che cosa serve questa chat, a cosa serve sta chat, a cosa serve sto bot, qual è il tuo compito, qual è il tuo ruolo, qual è il tuo scopo, qual è la tua funzione, quali sono le tue funzioni,
      quali sono le tue capacità, quali sono le tue funzionalità, quali sono i tuoi compiti, quali sono le vostre funzioni, qual è la tua utilità, qual è il suo ruolo, qual è il suo compito,
      qual'è il tuo compito, qual'è il tuo scopo, qual'è la tua funzione, che funzioni hai, che capacità hai, che funzione hai, quali funzioni hai, che compiti hai, quali compiti svolgi,
      che ruolo hai, che lavoro fai, come puoi aiutarmi, come mi puoi aiutare, come può aiutarmi, come mi può aiutare, come potete aiutarmi, come mi potete aiutare, come potresti aiutarmi,
      in cosa puoi aiutarmi, in cosa mi puoi aiutare, in che cosa puoi aiutarmi, in cosa può aiutarmi, in cosa mi può aiutare, in cosa potete aiutarmi, in cosa mi potete aiutare,
      in che modo puoi aiutarmi, in che modo mi puoi aiutare, in che modo può aiutarmi, con cosa puoi aiutarmi, con cosa mi puoi aiutare, per cosa puoi aiutarmi, per cosa posso usarti,
      cosa puoi fare per me, cosa può fare per me, cosa potete fare per me, che puoi fare per me, in cosa puoi essermi utile, in cosa sei bravo, a quali domande puoi rispondere,
      a quali domande sai rispondere, a che domande puoi rispondere, a che domande sai rispondere, a cosa puoi rispondere, a cosa sai rispondere, che domande posso farti, quali domande posso farti,
      che domande ti posso fare, quali domande posso fare, cosa posso chiederti, cosa ti posso chiedere, cosa posso chiedere, cosa posso chiedervi, cosa posso chiederle, che cosa posso chiederti,
      che posso chiederti, come funzioni, tu come funzioni, come funziona questo bot, come funziona questa chat, come funziona questo chatbot, come funziona la chat, come funziona sta chat,
      come lavori, cosa sai, che cosa sai, che sai, di cosa ti occupi, di che ti occupi, di cosa si occupa, di cosa vi occupate, di cosa puoi parlare, quali argomenti conosci, su cosa puoi aiutarmi,
      su cosa sei preparato, quali servizi offri, che servizi offri, cosa offri, mi spieghi cosa sai fare, spiegami cosa sai fare, dimmi cosa sai fare, elenca le tue funzioni, spiegami come funzioni`,
    cantail: `esattamente, di preciso, precisamente, per me, per noi, qui, concretamente, in concreto, in pratica, di bello, di utile, tu, voi, lei, veramente, davvero, in realtà, di solito, oggi,
      per favore, nella vita, questo bot, questo chatbot, questa chat, a questa chat, dietro questa chat, dietro questo bot, a questo bot, dietro lo schermo, dietro a questa chat, dall'altra parte,
      quindi, adesso, ora, in questo momento, robot, bot, scusa, scusi, allora, sul serio, di preciso tu, per aiutarmi, oltre a questo, a parte questo, sennò, comunque, a fare, e cosa fai,
      e cosa puoi fare, e cosa sai fare, prego, su questo sito, come bot, già, bot mio, per curiosità, bello, caro, per caso, o cosa, a rispondere, 🤖, 🤔, 😊, 🙂, 😅`,
  },
  phrases: {
    human: `
      [<solodet>] [<pre>] <solo> [<post>] [<post>] [<post>]
      (una|un'altra|una vera|qualche) [<pre>] persona [<post>] [<post>] [<post>]
      (il|lo|la|l|un|una|uno|vostro|vostra|al|alla|gli|i|le) [<pre>] (<dept>|<job>|<person>) [<post>] (grazie|per favore|perfavore|per piacere|per cortesia|subito|adesso|ora|immediatamente|pls|please|prego|e subito)
      (l'assistenza|l'amministrazione|l'accettazione|l'ufficio|l'anagrafe|l'officina|l'antifrode|l'operatore|l'operatrice) [<deptname>] [grazie|per favore|perfavore|per cortesia|subito]
      [il|un|al|vostro|l] (ufficio|reparto|servizio|l'ufficio) <deptname> [<post>] [<post>]
      [il|la|un|una|vostro|tuo|il vostro|il tuo] (responsabile|direttore|direttrice|capo|titolare|gestore|manager) [di|del|della|dell|dello] (negozio|filiale|reparto|zona|servizio|sede|vendite|agenzia|ufficio|hotel|dell'hotel|ristorante|punto vendita|dell'ufficio|dell'agenzia|area|settore|officina) [<post>] [<post>]
      ~ <talk> [<how>] [<how>] <tprep> [<det>] [<pre>] <who>
      ~ (parlare|parlarne|discutere|discuterne|parlà|conversare|chiacchierare|confrontarmi) [<how>] [<how>] (con|cn|co|col|coi|a|al|alla|all|ad) [un|una|uno|un'|il|lo|la|l|vostro|vostra|un vostro|una vostra|uno dei vostri|il vostro|la vostra|la stessa|lo stesso|stessa|i|gli|le|l'altro] [<pre>] <job>
      ~ (parlare|parlarne|discutere|discuterne|in contatto|in comunicazione|in linea|conferire|un colloquio|una telefonata|una videochiamata|una chiamata|appuntamento telefonico|mettermi in contatto|entrare in contatto) [<how>] (con|col|coi|cn|a|al|alla|all) [<det>] [<pre>] (<job>|<dept>)
      ~ (parlare|discutere|parlarne) (loperatore|alloperatore|operatore|umano|persona|qualcuno|un operatore|un umano|una persona)
      ~ <want> [<adv>] [<adv>] (parlo|parla|parli|parliamo|discuto|chatto|contatto|chiamo|raggiungo|trovo|parlre|pralare|palare) [<how>] [<how>] [<tprep>] [<det>] [<pre>] <who>
      ~ <want> [<adv>] [<adv>] (parlare|discutere|parlarne|conferire|comunicare|dialogare) … (con|a|ad|al|col|coi|alla|all) [<how>] [<det>] [<pre>] <who>
      ~ <want> [<adv>] [<adv>] (vedere|spiegare|esporre|risolvere|chiedere|porre|raccontare|verificare|gestire|sistemare|affrontare|vederlo|vederla|chiarire|occuparmene|trattare) … (con|a|ad|al) [<how>] [<det>] [<pre>] (<sure>|una persona|qualcuno|qlcn)
      ~ (parlare|discutere|dialogare|conversare|comunicare) … (con|col|a|ad|all) [<how>] [<det>] [<pre>] <agent>
      ~ <want> [<adv>] [<adv>] (contattare|raggiungere|sentire|rintracciare|incontrare|avere al telefono|avere in linea|telefonare|interpellare|coinvolgere|contattar|risentire|riparlare|ricontattare|riavere|ritrovare|beccare) [<how>] [<how>] [<prep>] [<det>] [<pre>] <who>
      ~ <want> [<adv>] [<adv>] (avere|vedere|trovare|ottenere|chiamare|scrivere|ricevere|chiedere|richiedere|consultare|raggiungere) [<how>] [<how>] [<prep>] [<det>] [<pre>] <sure>
      ~ <want> [<adv>] [<adv>] (chiamare|telefonare|scrivere|contattare|rivolgermi|raggiungere|arrivare|accedere) [<how>] [<prep>] [<det>] [<pre>] (<desk>|<sure>)
      ~ <want> [<adv>] [<adv>] (scrivere|telefonare|rivolgermi|confidarmi|affidarmi) [<how>] (a|ad|al|alla|all|allo|con) [<det>] [<pre>] <person>
      ~ (contattare|raggiungere) [<how>] (qualcuno|un operatore|una persona|un umano|un essere umano|un consulente|un'operatrice|l'operatore|un addetto|un responsabile|un agente|una persona vera|una persona reale)
      ~ (saltare|bypassare|evitare|aggirare|superare|scavalcare|eludere|disattivare) (il|questo|questa|lo|la|i|sto|sta|un) (<bot>|risponditore) [e|per|ed]
      ~ arrivare (a|ad|al|all|alla|allo) [<det>] [<pre>] (<sure>|l'assistenza|all'assistenza)
      ~ arrivare (all'assistenza|all'operatore|al servizio clienti|al supporto)
      ~ per (avere|contattare|raggiungere|trovare|chiamare|sentire) [<how>] [<det>] [<pre>] (<human>|qualcuno|operatore|consulente|l'operatore|servizio clienti)
      ~ <wantone> [<adv>] [<adv>] [<prep>] <det> [<pre>] <sure>
      ~ <wantone> [<adv>] [<adv>] [<pre>] (qualcuno|qlcn|qlcuno|quarcuno|umano|operatore|loperatore|operatore umano|un'operatrice|qualcun altro|persona reale|persona vera|consulente|dell'operatore|unoperatrice)
      <wantone> [<adv>] [<adv>] [una|la|1] [<pre>] persona [<post>] [<post>]
      ~ <wantone> [<adv>] (una|la|1) [<pre>] persona (per favore|e|non|che|con|al|in|del|dell|di|subito|adesso|ora|vera|reale|grazie|immediatamente|competente|fisica)
      ~ (parere|consiglio|opinione|voce|aiuto|assistenza|supporto|intervento|risposta|l'aiuto|l'intervento|l'assistenza|dell'aiuto|dell'intervento|attenzione|l'attenzione|contatto) (di un|di una|di|da un|da una|con un|con una|da parte di un|da parte di una|di un vero|di una vera|di uno|dell|di qualche) [<pre>] (<staff>|qualcuno|vostro collega)
      ~ <wantone> [il|un|l] (parere|consiglio|aiuto|supporto|l'aiuto) (di un|di una|di|dell|di uno|del|della) [<pre>] (<job>|<person>)
      ~ (la|una|sentire la|sentire una) voce (di una persona|di un umano|umana|di qualcuno|vera)
      ~ che [<det>] [<pre>] (<who>|<job>|<dept>) [<ofyou>] [<post>] <acts>
      ~ che [<det>] [<pre>] (<who>|<job>|<dept>) [<ofyou>] (<callme>)
      ~ <give> [<how>] [in contatto|in linea|in comunicazione|in collegamento] [<how>] [<prep>] [<det>] [<pre>] (<who>|<job>|<dept>)
      ~ <hand> [<how>] [<det>] [<pre>] (<sure>|bancario|farmacista|avvocato|assicuratore|una persona)
      ~ (dammi|datemi|mi dia|trovami|trovatemi|mandatemi|passatemi|passami|voglio|serve) [<how>] (una|la) [<pre>] persona
      ~ (in contatto|in comunicazione|in linea|in collegamento) [<how>] [<how>] (con|col|coi|a|al) [<det>] [<pre>] <who>
      ~ <link> [<how>] (con|col|a|ad|al|alla|all|verso|allo|da) [<det>] [<pre>] <staff>
      ~ (trasferire|trasferite|trasferisci|trasferito|trasferita|passa|passate|inoltrare|inoltra|inoltrate|girare|gira|girate|trasferisca|affidare|affidate|trasmettere|trasmettete|reindirizzato|reindirizzata|indirizzato|indirizzata|far vedere|fate vedere|collegato|collegata|messo|messa) [la|questa|il|questo|mia|mio|la mia|il mio|tutto] [chat|conversazione|richiesta|pratica|messaggio|ticket|caso|problema|reclamo|segnalazione|discorso|domanda|tutto|in contatto] (a|ad|al|allo|alla|all|ai|verso|con) [<det>] [<pre>] <staff>
      ~ (collegarmi|connettermi|collegami|connettimi) (con|a|ad|al|all) [<det>] [<pre>] (<staff>|<human>|qualcuno|una persona)
      ~ (scalare|scala|scalate|escalate|escalation|scalato|scali) … (a|ad|al|allo|alla|all|ai|verso) [<det>] [<pre>] (<person>|<job>|<dept>)
      ~ (me la|me lo|mela|melo|me li|ce la|ce lo) [può|puo|puoi|potete|potrebbe|potresti|potreste|vai a|va a|andate a] (passare|passa|passi|passate|chiamare|chiama|chiami|chiamate|cercare)
      [<can>] (mettermi in contatto|passarmi|trasferirmi|trasferitemi|essere messo in contatto|trasferimento|essere trasferito|richiamata|passatemi|passaggio a operatore|passaggio operatore|richiesta di contatto|richiesta contatto|ricontatto|escalation|essere richiamato|essere ricontattato|essere contattato|richiesta di richiamata|richiesta richiamata)
      <want> [<adv>] [<adv>] (essere messo in contatto|essere trasferito|essere richiamato|essere richiamata|essere ricontattato|essere ricontattata|essere contattato|essere contattata|una richiamata|un contatto telefonico|un contatto umano|parlare|parlare a voce|parlare al telefono|un contatto diretto|una chiamata|una telefonata|un recapito telefonico|parlarvi|parlarne a voce) [<post>] [<post>]
      ~ <callme> [<how>] (voi|al|allo|sul|per|entro|domani|quando|appena|il|prima|con|a|qualcuno|un|una|oggi|dopo|stasera|urgentemente|dalle|dal|dalla|da|presto|telefonicamente|in|perché|è|grazie|ora|adesso|subito|gentilmente|cortesemente|perfavore|vi|ti|la|lo|non|ho|lunedì|d'urgenza|pf|pls|333|3|stamattina|nel|verso|se|che|e)
      [<can>] [<who>] [<ofyou>] [che] <callme> [<post>] [<post>] [<how>]
      ~ (affinché|affinche|in modo che|così che|che|qualcuno|qualcuno che|un operatore che|una persona che|uno che|chi) <callme>
      ~ (per favore|vi prego|ti prego|la prego|perfavore|cortesemente|gentilmente|potete|voglio che|vorrei che|desidero che|operatore|un operatore|urgente|pf) (richiamatemi|richiamami|mi richiami|mi richiamate|ricontattatemi|mi ricontatti|mi ricontattate|chiamatemi|chiamami|mi chiamiate|contattatemi|contattami|mi contatti|mi contattate|mi richiamasse|mi chiami|telefonatemi|mi telefoni|mi richiamiate|mi ricontattiate)
      ~ (richiamatemi|ricontattatemi|contattatemi|richiamami|ricontattami|telefonatemi|fatemi richiamare|fatemi chiamare|fatemi contattare|fatemi ricontattare|mi faccia chiamare|mi faccia richiamare|mi faccia contattare|mi faccia ricontattare|fammi chiamare|fammi richiamare|fammi contattare|mi fate chiamare|mi fate richiamare|mi fate contattare|chiamatemi)
      ~ <can> [<adv>] [<adv>] <callback>
      ~ (mi può|mi puo|mi puoi|mi potete|mi potrebbe|mi potresti|mi potreste|ci può|ci potete|mi deve|mi dovete|mi fa|mi vuole|mi possono|mi potrebbero) [per favore|gentilmente|cortesemente|almeno|poi|forse] (richiamare|ricontattare|chiamare|telefonare|contattare|ritelefonare|mettere in contatto|passare qualcuno)
      ~ (un colpo di telefono|colpo di telefono|uno squillo|colpo di cornetta|recapito telefonico di|una videochiamata con|una telefonata con|una call con|una chiamata con)
      ~ (voglio|vorrei|desidero|gradirei|preferirei|preferisco|chiedo|posso|potrei|possibile|ho bisogno|avrei bisogno|mi piacerebbe|richiedo|è possibile|si può|chiedo di|attendo di|aspetto di) [<adv>] [essere|venire|di essere|esser|d'essere] (richiamato|richiamata|ricontattato|ricontattata|contattato|contattata|chiamato|chiamata|richiamati|contattati|ricontattati) [<how>]
      ~ (essere|esser|venire) (richiamato|richiamata|ricontattato|ricontattata|contattato|contattata|chiamato|chiamata|assistito|assistita|aiutato|aiutata|servito|seguito|seguita|ascoltato|ricevuto) [<how>] (da|dal|dalla|dall|dallo|dai|al telefono|telefonicamente) [<det>] [<pre>] (<who>|<job>|<dept>|telefono|un altro)
      ~ (farmi|farsi|farci|fatemi|fammi|mi faccia) (rispondere|aiutare|assistere|seguire|chiamare|contattare|richiamare|telefonare|ricontattare|consigliare) [<how>] (da|dal|dalla|dall|dallo|dai) [<det>] [<pre>] (<who>|<job>|<dept>|un altro|un'altra)
      (richiamata|richiamatemi|call back|callback|richiamami|ricontattatemi|chiamatemi|contattatemi|essere richiamato|essere ricontattato|ricontatto|contatto telefonico|assistenza telefonica|chiamami|telefonatemi|essere richiamata|richiesta di richiamata|una richiamata) [<post>] [<post>] [<how>]
      ~ <sure> [<ofyou>] [<post>] [mi|ci] <may> [per favore|gentilmente|cortesemente|mi|finalmente|almeno|anche] <act>
      ~ (può|puo|potrebbe|mi può|mi puo|mi potrebbe|ci può|dovrebbe|debba|deve|possa|potete far) [per favore|gentilmente] (<act>|guardarlo|guardarla|vederlo|vederla|leggerlo|controllarlo|occuparsene) [<det>] [<pre>] (qualcuno|qlcn|operatore|umano|persona vera|persona reale|essere umano|consulente|responsabile|addetto|persona del|qualcun altro)
      ~ (può|puo|potrebbe|mi può|mi puo|mi potrebbe) (qualcuno|qlcn|un operatore|una persona|un umano|un consulente|un responsabile|un addetto) [del|di] [vostro team|voi] <act>
      ~ (un|una|uno|il|la|un vostro|una vostra|uno dei vostri|un'altra|vostro|un'|l) [<pre>] (<person>|<job>|<dept>) [<ofyou>] [<deptname>] [mi] <may> [mi|gentilmente|per favore] (<callback>|chiamare|contattare|richiamare|telefonare|aiutarmi|aiutare|rispondermi|rispondere|parlarmi|prendere in carico|prendere in mano|darmi una mano|darmi retta|proseguire|riprendere la conversazione|seguirmi|dare un'occhiata|darci un'occhiata|assistermi|spiegarmi|consigliarmi)
      ~ (un'operatrice|un'infermiera|un'impiegata|un'addetta|un'assistente|l'operatore|l'addetto|l'infermiera|l'avvocato|l'impiegato|l'ufficio|l'amministrazione|l'assicuratore) [<ofyou>] [<deptname>] [mi] (<may>|<callme>|che mi) [mi] (<callback>|<act>)
      ~ (qualcuno|qlcn|qlcuno|quarcuno|un membro|una persona|un impiegato|un collega|un operatore|un responsabile|un consulente|un tecnico|un dipendente|uno) <ofyou>
      ~ (non|nn) ci (lavora|risponde|sta|è|lavorano) (nessuno|qualcuno|più nessuno|mai nessuno) [da voi|lì|qui]
      ~ (lavora|risponde|legge) (qualcuno|nessuno) (lì|qui|da voi|là|dentro|in questa)
      ~ (numero|linea|telefono|recapito) [<how>] (dove|con|per|a cui|al quale) [mi] (rispondono|risponda|risponde|parlare con|rispondano|trovo|posso parlare con|trovare|avere) [<det>] [<pre>] (persone|umani|persona|qualcuno|operatore|operatori|umano|esseri umani|gente)
      ~ (numero|linea|recapito) [<how>] (dove|con|per|a cui|al quale) [posso] (un umano|qualcuno|parlare|parlarvi|sentirvi|un operatore|operatore)
      ~ (con cui|con il quale|con la quale|a cui|col quale|co cui|con chi) [posso|poter|potrei|io possa|si possa|si può|poterne] (parlare|parlà|confidarmi|discutere|parlarne|sfogarmi|ragionare|interagire)
      ~ chi [mi|ci] (può|puo|potrebbe) (seguire|aiutare|assistere|rispondere|richiamare|chiamare|ascoltare) (personalmente|di persona|dal vivo|a voce|al telefono|telefonicamente|davvero|veramente)
      ~ con (lei|te|voi) non (voglio|intendo|desidero|vorrei) (parlare|trattare|discutere|averci)
      ~ (voglio|preferisco|preferirei|vorrei|meglio|desidero) [<adv>] (parlare|telefonare|una telefonata|il telefono|una chiamata|parlarne|sentirci|parlarci|spiegarmi) [<adv>] (al telefono|a voce|per telefono|di persona|dal vivo|a quattr'occhi|piuttosto che|che scrivere|telefonicamente|in videochiamata)
      ~ (operatori|consulenti|agenti|addetti|colleghi|impiegati|umani|responsabili) [sono|saranno|siano] (in linea|disponibili|raggiungibili|collegati|online|attivi|in chat|operativi|al telefono|reperibili|connessi)
      ~ <is> [<adv>] [<det>] [<pre>] (<staff>|<human>|qualcuno|qlcn|qlcuno|quarcuno|persona|persone|collega|impiegato|direttore|gente|dipendente|nessuno) [<post>] [<post>] <avail>
      ~ <is> [<adv>] [<det>] [<pre>] <human> [qui|lì|disponibile]
      ~ <is> [<adv>] [<det>] [<pre>] (<job>|<person>) [<ofyou>] (con cui|a cui|con il quale|con la quale|col quale|alla quale|al quale|che posso contattare|che posso chiamare|per parlare|per aiutarmi|disponibile a|disponibile per)
      <is> [<adv>] [<det>] [<pre>] (operatore|operatori|operatrice|consulente|agente|addetto|un'operatrice|responsabile|servizio clienti|assistenza clienti|call center|centralino|assistenza telefonica|contatto telefonico|operatori umani) [<post>] [<post>]
      ~ <human> … (esiste|disponibile|in linea|da voi|raggiungibile|per favore|perfavore|per piacere|per cortesia|adesso|subito|immediatamente)
      ~ <nobot> [<botvia>] [<botvia>] [<botvia>] [<botvia>] <bot>
      ~ (non|nn|no|mica|mai|senza|nessun|né) [con|da|di|a|ad|al|parlo|parlare|discuto|tratto|ragiono|chatto|parlo più|voglio|mi serve] [con|da|di|a] (un|uno|una|un'|dei|questo|questa|sto|con un|con una|di un|di una|da un|da una|a un|a una|ad un|ad una) [stupido|stupida|semplice|solito|inutile|cavolo di|cazzo di|maledetto] <bot>
      ~ (non|nn|no|mica|mai) [con|da|di|a|ad|parlo con|parlare con|discuto con|tratto con] (l'ia|un'ia|un'ai|un'intelligenza artificiale|l'intelligenza artificiale|un algoritmo|un'assistente virtuale|l'assistente virtuale)
      ~ (no|niente|zero|basta|non voglio) (bot|robot|chatbot|bots|robots|risposte automatiche|messaggi automatici|risponditori) [grazie|per favore|voglio|solo]
      ~ (non|rifiuto|mi rifiuto|stufo|stufa|stanco|stanca|basta|odio|piuttosto che|invece di|anziché|vergogno|senso) [voglio|intendo|ho voglia|di|mi va|mi piace|più|serve|ha senso|a] [di|più|a] (parlare|parlo|discutere|discuto|ragionare|parlare più|chattare|comunicare|avere a che fare|perdere tempo|trattare|interagire|parlarne|scriverlo|scrivere|raccontarlo|raccontare|spiegarlo|fidarmi|confidarmi|mi fido) [con|a|di|ad] (un|una|uno|questo|questa|dei|delle|sto|sta|il|la|questi|queste|di un|di una|con un|con una) <thing>
      ~ (non|e non|mica) (una|con una|da una|di una|a una) macchina [<post>]
      ~ non (di un|con un) (programma|algoritmo|disco|automa|software)
      ~ (contatto|aiuto|assistenza|intervento|interazione|supporto|servizio|risposta|presenza|operatore|consulente|assistente|agente|addetto|parere|voce|operatrice|consiglio|interlocutore|essere) (umano|umana)
      ~ (preferisco|preferirei|meglio|piuttosto|preferivo) [<adv>] [<adv>] [<prep>] [<det>] [<pre>] <human>
      (chat|live chat|conversazione|parlare|chiamata|contatto|discutere|contattare|parla|passa|passare|trasferisci|collegamento|contatti|chiama|chiamare|contatta|voglio|vorrei|parlo|collegami|chatta|chattare|serve|bisogno|richiesta|richiedo|cerco|vai|attesa) [<how>] [<prep>] [<det>] [<pre>] <who> [<post>] [<post>]
      (chat dal vivo|live chat|chat live|chat con operatore|contatto umano|assistenza umana|aiuto umano|supporto umano|contatto diretto|assistenza dal vivo|assistenza live|operatore live|assistenza telefonica|parlare a voce|parlare al telefono)
      (con|a|ad) chi (posso|potrei|si può|devo|dovrei|possiamo|mi posso) (parlare|rivolgermi|discutere|parlarne|parlare direttamente|rivolgere|rivolgersi|chiedere aiuto) [<post>] [<post>]
      (chi|che numero|quale numero) (posso|potrei|devo|si può) (chiamare|contattare|sentire) [per parlare|direttamente|al telefono] [<post>] [<post>]
      (posso|potrei|si può|vorrei|voglio|è possibile|come posso|come faccio a|come faccio|possiamo|preferirei|preferisco|c'è modo di) [<adv>] (chiamarvi|telefonarvi|sentirvi|parlarvi|chiamare|telefonare|sentirvi telefonicamente|parlarvi al telefono|contattarvi telefonicamente|contattarvi al telefono|contattarvi per telefono|parlare con voi|sentirvi al telefono|sentirvi a voce|chiamarti|parlare a voce con voi) [<post>] [<post>]
      ~ (nessuno|nessun operatore|nessun umano) (mi risponde|mi richiama|mi ha richiamato|mi ha risposto|mi ha contattato|mi aiuta|risponde al telefono|mi ha ricontattato|mi contatta|mi ha più richiamato|si fa vivo|si fa sentire)
      ~ (parlo|rispondo|tratto|discuto) (solo|soltanto|solamente|esclusivamente|unicamente) con [<det>] [<pre>] <who>
      ~ (dov'è|dove è|dove sono|dove trovo|quando arriva|dove sta|quando risponde|dove si trova) [<det>] [<pre>] <human>
      ~ (proseguire|continuare|riprendere|portare avanti|finire) [la|questa|il|questo] (conversazione|chat|discorso|discussione|pratica) [<how>] con [<det>] [<pre>] (<who>|<job>)
      ~ (fissare|prenotare|programmare|organizzare|fare|avere|concordare) (una|un|la) (telefonata|chiamata|videochiamata|call|videocall) [<how>] (con|da|dal|col|dalla)
      ~ (fissare|prenotare|programmare|organizzare|avere|concordare|vorrei|voglio|richiedere) (una|un|la) (colloquio telefonico|appuntamento telefonico|richiamata|consulenza telefonica)
      <guard> <guard> <guard> <guard> <guard> <guard> <guard> <guard>
    `,
    stop: `
      [<st>] [<st>] [<st>] [<st>] [<st>] <stopw> [<st>] [<st>] [<st>] [<st>] [<st>] [<st>] [<st>]
      [<st>] [<st>] <stopw> [<st>] [<st>] [<st>] <stopw> [<st>] [<st>] [<st>] [<st>]
      (no|nono|no no) [va bene così|ok così|basta|niente|è tutto|a posto|sono a posto|non serve|non ora|lascia stare|lasci stare|non ho bisogno di nulla|non ho bisogno di niente] [grazie]
      [no|no grazie|grazie|grazie ma] (non|nn) [ho|ne ho|mi serve|voglio|desidero|intendo|ho più|voglio più|mi va|mi va più] [più] [bisogno|voglia] [di|del|della] (continuare|parlare|aiuto|nulla|niente|bisogno|proseguire|messaggi|ricevere messaggi|parlare con te|parlarti|andare avanti|altro|tuo aiuto|vostro aiuto|te|voi|essere disturbato|di parlare|assistenza) [più] [grazie|con te|con voi|questa conversazione|la conversazione|questa chat]
    `,
    abuse: `
      [<ab>] [<ab>] [<ab>] [<ab>] [<ab>] [<ab>] <insult> [<ab>] [<ab>] [<ab>] [<ab>] [<ab>] [<ab>]
      [<ab>] [<ab>] [<ab>] [<ab>] [<ab>] <insult> [<ab>] [<ab>] [<ab>] [<ab>] [<ab>] <insult> [<ab>] [<ab>] [<ab>] [<ab>]
      [<ab>] [<ab>] <insult> [<ab>] [<ab>] [<ab>] [<ab>] <insult> [<ab>] [<ab>] [<ab>] <insult> [<ab>] [<ab>]
      (sei|siete|banda di|branco di|massa di|manica di|razza di|specie di|pezzo di|che|brutto|brutti) … <insult>
      (sei|siete|banda di|branco di|massa di|manica di|razza di|che|brutto|brutti|brutta) [proprio|solo|tutti|un|una|dei|degli|davvero|veramente|uno|delle] <insult> …
      [<ab>] [<ab>] (che|è una|una|siete una|bella|questa è una|è solo una|vera|sta) [vera|bella|grande|grossa|pura|enorme|gran] (truffa|fregatura|rapina|farsa|buffonata|barzelletta|presa in giro|sola|ladrata|porcheria|pagliacciata|bufala|delusione) [<ab>] [<ab>] [<ab>]
      (tu|voi|questo bot|questo robot|questo chatbot|il vostro bot|sto bot|questa chat|sta chat|il vostro servizio|questa ia|il bot) [non|nn] (servi|servite|serve|capisci|capite|capisce|sai|sapete|sa|vali|valete|vale|funzioni|funzioni|mi aiuti|ascolti|leggi|rispondi) [proprio|davvero|assolutamente|mai|veramente|fare] [a|per] (niente|nulla|un cazzo|una mazza|un tubo|una sega|una ceppa|un bel niente|leggere|un accidente) [di niente|di nulla|di quello che scrivo|di quello che dico] [<ab>] [<ab>] [<ab>]
    `,
    identity: `
      [<start>] [<start>] <you> [<bid>] [<bid>] [<bid>] <self> [<tail>] [<tail>] [<tail>]
      [<start>] [<start>] <you> [<bid>] [<bid>] [<bid>] (<self>|<being>) [<tail>] (o|oppure|o invece|o piuttosto|e non|od|non|anziché) [<you>] [<bid>] [<bid>] [<bid>] (<self>|<being>) [<tail>] [<tail>]
      [<start>] [<start>] [<youare>] [<bid>] [<bid>] <being> [<tail>] (o|oppure|e non|anziché) [<bid>] [<bid>] [<bid>] <self> [<tail>] [<tail>]
      [<start>] (chi|chi è che) [mi] (parla|risponde|scrive|sta rispondendo|sta scrivendo) [<bid>] [<bid>] [<being>] [<tail>] [o|oppure] [<bid>] [<bid>] (<self>|<being>) [<tail>] [<tail>]
      [<start>] [<start>] <youare> [<bid>] [<bid>] [<bid>] <being> [<tail>] [<tail>] [<tail>]
      [<start>] [<start>] [<youare>] [<bid>] [<bid>] [<bid>] <being> [<tail>] [<tail>] (o|oppure|o invece|o piuttosto|e non|od|non|anziché) [<youare>] [<bid>] [<bid>] [<bid>] [<being>] [<tail>] [<tail>] [<tail>]
      [<start>] [<start>] <idq> [<cantail>] [<cantail>]
      [<start>] [<start>] <idq> [e|o|oppure] (<cando>|<idq>) [<cantail>]
      [<start>] <idq> [<bid>] [<bid>] [<being>] [o|oppure] [<bid>] [<being>] [<tail>]
      [<start>] [<start>] <made> <maker> [<cantail>] [<cantail>]
      (sei stato|sei stata|siete stati) <maker> (da chi|da quale azienda|da|come|quando) [chi]
      [<start>] [<start>] <cando> [<cantail>] [<cantail>]
      [<start>] (un|una) [vero|vera] (robot|bot|umano|ia|chatbot|macchina) [o|oppure] [un|una] [vero|vera] [robot|bot|umano|ia|macchina|persona]
      [<start>] (robot|bot|umano|ia|macchina|persona|umana|chatbot|persona vera) (o|oppure) (robot|bot|umano|ia|macchina|umana|persona|persona vera|no|computer|chatbot|persona reale) [<tail>]
      [<start>] [ma] (chi|cosa|che cosa) (sei|siete) [<bid>] [<being>] [<tail>]
    `,
    thanks: `
      (grande|sei grande|siete grandi|grande bot|che grande|forte|incredibile|gentile|gentili|funziona|molto gentile|tutto ok|tutto a posto|chiaro|utile|capito|ricevuto|ok capito|afferrato|tutto apposto|che bello|bello|carino) [grazie] [<tk>] [<tk>]
      [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] <thank> [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<tk>]
      [<tk>] [<tk>] [<tk>] <thank> [<tk>] [<tk>] [<tk>] [<tk>] <thank> [<tk>] [<tk>] [<tk>] [<tk>] [<tk>]
    `,
    goodbye: `
      (no|no grazie|niente|nient'altro|no niente|ok così|va bene così|lascia stare|lasci stare|lascia perdere|non importa|fa niente|basta così|basta|a posto così|non serve) [grazie|grazie mille|allora|e|comunque|lo stesso] [<byw>] (<bye>|ciao) [<byw>] [<byw>] [<tk>]
      [<bye>] [<byw>] <bye> [<byw>] [e] ciao [<byw>]
      (<bye>) [e|allora] ciao
      [<tk>] [<tk>] [<tk>] [<tk>] [<byw>] [<byw>] [<byw>] <bye> [<byw>] [<byw>] [<byw>] [<tk>] [<tk>] [<tk>] [<tk>] [<byw>] [<byw>]
      [<tk>] [<tk>] [<tk>] [<byw>] [<byw>] <bye> [<byw>] [<byw>] [<tk>] [<tk>] [<tk>] <bye> [<byw>] [<byw>] [<tk>] [<tk>]
      [<thank>] [<byw>] <thank> [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<byw>] [<byw>] [<byw>] (<bye>|ciao) [<byw>] [<byw>] [<tk>]
      ciao [e|allora|ok|bot] <thank> [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<tk>]
      [<byw>] [<byw>] (è|questo è|per oggi è|per ora è) tutto [per oggi|per ora|per il momento|da parte mia] [grazie|grazie mille] [<bye>]
    `,
    greeting: `
      [<gr>] [<gr>] [<gr>] [<gr>] <hello> [<gr>] [<gr>] [<gr>] [<gr>] [<gr>] [<gr>]
      [<gr>] [<gr>] <hello> [<gr>] [<gr>] [<gr>] <hello> [<gr>] [<gr>] [<gr>] [<gr>]
      [<gr>] [<gr>] [<gr>] [<hello>] [<gr>] <havea> [solo|soltanto|ancora|anche|bisogno|proprio|urgente|urgentemente|avere|chiedere|fare|farvi|farti|farle|porre|porvi|porti|ricevere|chiedervi|chiederti|chiederle] [di|d|bisogno di|bisogno|del|dell|solo] [un|un'|una|uno|delle|dei|degli|alcune|alcuni|qualche|1|due|più|il vostro|il tuo|vostro|tuo|del vostro|del tuo|dell|un po di|un paio di|il suo|suo|altra|un'altra|altre] [piccola|piccolo|breve|semplice|veloce|altra|grosso|grande|rapida|altre|semplici] <ask> [per voi|per te|per lei|da farvi|da farti|da farle|da fare|da porvi|da porle|da chiedervi|veloce|urgente|da voi|da te|da sottoporvi] [<gr>] [<gr>] [<gr>]
      [<gr>] [<gr>] [<gr>] [<hello>] [<havea>] (ho bisogno|bisogno|bisogno d'aiuto|bisogno di aiuto|ho bisogno di voi|ho bisogno di te|bisogno di voi|bisogno di una mano|d'aiuto|avrei bisogno|aiutatemi|aiutami|mi aiuti|mi aiutate|mi aiuta|mi aiuteresti|mi aiutereste|mi aiuterebbe|mi aiuterete|mi aiuterai|mi daresti una mano|mi dareste una mano|mi darebbe una mano|mi daresti un aiuto|mi dareste un aiuto|mi darebbe un aiuto|mi dai un aiuto|mi daresti una informazione|mi daresti un'informazione|mi dareste un'informazione|mi darebbe un'informazione|mi dai un'informazione|mi dai un consiglio|mi daresti un consiglio|mi dai una mano|mi date una mano|mi dà una mano|datemi una mano|dammi una mano|mi dia una mano|ho bisogno di un'informazione|bisogno di un informazione|mi date un'informazione|mi serve aiuto) [<gr>] [<gr>] [<gr>]
      [<gr>] [<gr>] [<gr>] [<hello>] (può|puo|puoi|potete|potrebbe|potresti|potreste|mi può|mi puo|mi puoi|mi potete|mi potrebbe|mi potresti|mi potreste|ci può|ci puoi|ci potete|riesci a|riuscite a|riesce a|sai|sapete|sareste in grado di|sei in grado di|saresti in grado di|è in grado di|spero che tu possa|spero possiate|spero che possiate|spero possa|spero tu possa|saresti così gentile da|chi può|chi mi può) [gentilmente|cortesemente|per favore|forse|un attimo|magari|davvero|per caso|anche] <helpme> [<gr>] [<gr>] [<gr>]
      [<gr>] [<gr>] [<gr>] [<hello>] (posso|potrei|possiamo|vorrei|volevo|si può|voglio|è possibile|devo|dovrei|sarebbe possibile|permette|permetti) [solo|gentilmente|un attimo|per favore] (chiedere|chiederti|chiedervi|chiederle|fare|farti|farvi|farle|porre|porvi|porti|domandare|domandarti|domandarvi|sapere|avere|fare solo) [solo|anche] [un|un'|una|qualche|alcune|delle|due|un paio di|qualcosa|1] [piccola|altra|veloce|breve|semplice] (domanda|domande|qualcosa|cosa|una cosa|informazione|informazioni|info|un'informazione|aiuto|consiglio|un aiuto|domandina|cose|un consiglio|due cose|chiarimento|favore|domanda veloce) [veloce] [<gr>] [<gr>] [<gr>]
      [<gr>] [<gr>] (aiuto|aiutami|aiutatemi|aiutateci|mi aiuti|mi aiutate|mi aiuta|help|help me|sos|domanda|domande|una domanda|domanda veloce|una domanda veloce|domandina|info|informazioni|informazione|un'informazione|un informazione|assistenza|una informazione|una cosa|una curiosità|ho un problema|un problema|un aiuto|un aiutino|problema|serve aiuto|mi serve una mano|una mano|una domandina|chiedo aiuto|avrei una domanda|posso chiedere|posso chiedere una cosa|posso farle una domanda|richiesta informazioni|richiesta info|vorrei informazioni) [<gr>] [<gr>] [<gr>]
      [<gr>] [<gr>] (vi contatto|vi scrivo|ti scrivo|le scrivo|mi rivolgo a voi|sono nuovo qui|sono nuova qui|sono nuovo|mi sono perso|sono in difficoltà|ho delle difficoltà|sono disperato|sono disperata|sono di nuovo io|sono sempre io|sono ancora io) [per|perché|perchè] [<havea>] [un|una|un'|di|delle|qualche|alcune] [piccola|piccolo] [<ask>] [<gr>]
    `,
  },
  cues: {
    human: `
      (umano|umana|umani|essere umano|persona vera|persona reale|vera persona|persona in carne|centralinista|richiamata|callback|live chat|servizio clienti|customer care|call center|supervisore|a voce|in carne)
      (un|una|un'|vostro|vostri|tuo|con|con un|con l|da un|all|con il|al|suo|dei vostri|gli|degli) (operatore|operatori|operatrice|consulente|consulenti|addetto|addetta|collega|colleghi|superiore|capo|manager|supervisore|direttore|rappresentante|interlocutore|impiegato|impiegata|dipendente|specialisti|esperti)
      (l'operatore|all'operatore|dall'operatore|un'operatrice|l'operatrice|un'addetta|l'addetto|un'impiegata)
      (qualcuno|qlcn|qlcuno|una persona|responsabile|collega|colleghi|team|staff|agente|agenti|tecnico|medico|dottore|dottoressa|specialista|esperto|commerciale|venditore|direttore|ufficio|l'ufficio|segreteria|impiegato|servizio|signorina|infermiera|un'infermiera) … (chiamare|chiamarmi|contattare|contattarmi|richiamare|richiamarmi|parlare|aiutarmi|aiutare|rispondermi|rispondere|telefono|telefonarmi|ricontattarmi|chiami|contatti|richiami|ricontatti|telefoni|risponda|aiuti|contattasse|chiamasse|ascolti|discutere)
      (parlare|parlarne|discutere|dialogare|contattare|raggiungere|chiamare|richiamare|telefonare|mettermi in contatto|in contatto|in linea|rivolgermi|colloquio|conversazione|incontrare|passare|passarmi|telefonata|videochiamata) … (qualcuno|qlcn|persona|responsabile|collega|colleghi|team|staff|agente|operatore|tecnico|medico|dottore|dottoressa|specialista|esperto|commerciale|venditore|direttore|impiegato|voi|consulente|gente|umano|centralino|segreteria|ufficio|l'ufficio|servizio|addetto|chi)
      (richiamarmi|ricontattarmi|chiamarmi|contattarmi|telefonarmi|richiamatemi|ricontattatemi|contattatemi|chiamatemi|mi richiami|mi ricontatti|mi contatti|mi richiamate|mi contattate|essere richiamato|essere richiamata|essere ricontattato|essere ricontattata|essere contattato|essere contattata|chiamarvi|telefonarvi|sentirvi|parlarvi|colpo di telefono)
      (parlare|discutere|chiacchierare|conversare|dialogare) (con|a|al|col)
      (non|basta|niente|stufo|stufa|no) … (robot|bot|bots|chatbot|ia|risposte automatiche|l'ia)
    `,
    stop: `
      (stop|basta|fermati|ferma|fermatevi|fermiamoci|si fermi|smettila|smetti|smettetela|la smetta|finiscila|annulla|annullate|annulli|esci|exit|cancel|quit|abbandona|abbandonare|lascia stare|lasciate stare|lasci stare|lascia perdere|lasciate perdere|lasci perdere|lasciamo stare|lasciamo perdere|lascio perdere|fa niente|non fa niente|fa nulla|non importa|come non detto|dimentica|dimentichi|dimenticate|dimenticalo|no grazie|non mi serve|non serve|non ho bisogno|non ho più bisogno|non ne ho bisogno|non occorre|non è necessario|non mi interessa|non sono interessato|non sono interessata|cambiato idea|ripensato|zitto|zitta|silenzio|taci|tacete|in pace|lasciami|lasciatemi|vattene|sparisci|vai via|andate via|non scrivermi|non rispondere|piantala|falla finita|mi arrangio|faccio da solo|faccio da sola|mi arrendo|rinuncio|non ora|non adesso|un'altra volta|a posto così|va bene così|meglio di no|disattivati|spegniti|ho sbagliato chat|niente|nulla|per oggi basta|non voglio più|non voglio|uscire|ignora|ignori|pazienza)
      (chiudi|chiudere|chiudete|chiuda|chiudiamo|termina|terminare|terminate|terminiamo|concludi|concludere|concludiamo|interrompi|interrompere|interrompete|fine|finire|finiamo|finiamola|spegni|togli|elimina|nascondi|abbandonare|lasciare|cancella|cancellare) … (chat|conversazione|discussione|finestra|sessione|qui|dialogo|bot|robot|chatbot|tutto|richiesta|operazione|l'operazione)
    `,
    abuse: `
      <insult>
      (banda|branco|manica|massa|razza|pezzo|mucchio|accozzaglia) di
      (truffa|truffatori|fregatura|schifo|merda|cazzo|culo|palle|incompetenza|vergogna|ladri|odio|pena|bestia|capra|asino|spazzatura|cesso|cervello|peggio|peggiore|peggior|inferno|rotto|porcheria|disastro|idiozia|stupidità|coglionata|presa in giro|non servi|non capisci|non capite|non servite|inutile|puzza|maiali|vermi|parassiti)
    `,
    identity: `
      (sei|siete|lei è|sto parlando|parlo con|sto chattando|sto scrivendo|ho a che fare|non sei|tu sei|è|questa è|saresti|mi risponde|risponde|c'è) … (robot|bot|chatbot|umano|umana|ia|un'ia|intelligenza artificiale|un'intelligenza artificiale|chatgpt|gpt|persona vera|persona reale|virtuale|automatizzato|automatizzata|essere umano|automatica|vivente|un'ai)
      (sei|siete|lei è|sto parlando|parlo con|sto chattando|ho a che fare|tu sei|non sei) … (macchina|computer|programma|software|algoritmo|persona|uomo|donna|ragazzo|ragazza|maschio|femmina|reale|vero|vera|operatore|dipendente|impiegato|intelligente|qualcuno|basato|programmato|capace|automatico|finto|vivo|assistente)
      (tuo|tua|tuoi|tue) (nome|creatore|creatori|sviluppatori|programmatore|età|sesso|genere|capacità|funzioni|funzione|limiti|ruolo|scopo|utilità|compito|lavoro|mansioni|compiti|capo|competenze)
      (suo|vostro) (nome|ruolo|scopo|compito)
      (come) … (ti chiami|si chiama lei|vi chiamate|chiamarti|chiamarla)
      (come ti|come si|come vi) (chiami|chiama|chiamate)
      (chi|cosa|che cosa|che|ki|da chi|quale azienda|che azienda|quale società) (sei|siete|è lei|ti ha|vi ha|saresti|sei stato|ti|c'è dietro|mi risponde|mi scrive|parla|risponde|gestisce)
      (cosa|che cosa|che|in cosa|di cosa|a cosa|con cosa|quali cose) [mi] (sai|puoi|sapete|potete|può|sa|servi|serve questa|fai|sei capace|riesci|ti occupi|posso chiederti)
      (con chi|a chi) … (parlo|parlando|scrivendo|chattando|scrivo|parlare|rivolgo)
      (presentati|presentarti|parlami di te|raccontami di te|quanti anni hai|di dove sei|da dove vieni|che lingue parli|quale ia|che ia|modello linguistico|modello di ia|ti ha creato|ti ha programmato|ti ha sviluppato|ti ha inventato|come funzioni|dell'altra parte|dall'altra parte|dietro questa chat|dietro lo schermo|chi c'è|hai un nome|ha un nome|per chi lavori)
    `,
    goodbye: `
      (arrivederci|arrivederla|addio|a presto|a prestissimo|a dopo|a domani|a più tardi|alla prossima|a risentirci|a rivederci|ci vediamo|ci sentiamo|ci risentiamo|ci aggiorniamo|ci becchiamo|ci si vede|ci si sente|buonanotte|buona notte|bye|byebye|goodbye|adios|ciao ciao|ciaociao|ciaone|un saluto|saluti|cordiali saluti|distinti saluti|vi saluto|ti saluto|la saluto|devo andare|devo scappare|ora vado|adesso vado|io vado|vado via|me ne vado|scappo|stacco|vi lascio|ti lascio|la lascio|stammi bene|statemi bene|mi stia bene|abbi cura|tornerò|torno dopo|torno più tardi|ripasso|ripasserò|un abbraccio|baci|bacioni|è tutto|tolgo il disturbo|tante belle cose|buon proseguimento|buone vacanze|buone feste|a lunedì|a martedì|a giovedì|a venerdì|dormi bene|vado a dormire)
      (buona|buon|bella|splendida|ottima|felice|serena|buone) (giornata|serata|notte|domenica|settimana|weekend|week|fine|sabato|lavoro|proseguimento|continuazione|vacanze|feste|pomeriggio|pranzo|cena|riposo|resto|viaggio|fortuna|vita|rientro|we|lunedì|venerdì)
      (grazie|ok|perfetto|allora|va bene|vabbè|niente) … ciao
    `,
    thanks: `
      (grazie|grz|grazzie|thanks|thx|ringrazio|ringraziamo|ringraziarvi|ringraziarti|ringraziarla|ringraziamenti|grato|grata|perfetto|perfetta|ottimo|ottima|benissimo|bravo|brava|bravi|bravissimo|bravissima|bravissimi|fantastico|fantastica|grande|grandi|eccellente|eccezionale|magnifico|meraviglioso|splendido|stupendo|favoloso|mitico|mitica|mitici|super|top|utile|utilissimo|utilissima|chiarissimo|chiarissima|gentile|gentili|gentilissimo|gentilissima|gentilissimi|disponibilissimo|aiutato|aiutata|d'aiuto|salvato|salvata|risolto|ho capito|capito|tutto chiaro|chiaro|quello che cercavo|quello che mi serviva|quello che volevo|risponde alla mia domanda|risposto alla mia domanda|funziona|funzionato|tutto ok|apprezzo|apprezzato|complimenti|soddisfatto|soddisfatta|contento|contenta|spiegato|prendo nota|ti adoro|vi adoro|ti amo|geniale|impeccabile|veloce|velocissimo|efficiente|un angelo|un tesoro|un genio|il migliore|i migliori|forte|spettacolo|spettacolare|🙏|👍|❤|👏|👌|💯|ben fatto|bel lavoro|buono a sapersi|dubbio)
    `,
    greeting: `
      (ciao|salve|buongiorno|buon giorno|buondì|buonasera|buona sera|buon pomeriggio|hello|hi|hey|ehi|ehilà|ehy|hola|pronto|toc toc|come va|come stai|come sta|come state|come butta|tutto bene|tutto a posto|che si dice|ci sei|ci siete|sei lì|siete lì|mi senti|mi sentite|mi leggi|sei online|c'è qualcuno|c'è nessuno|qualcuno|una domanda|delle domande|qualche domanda|alcune domande|domanda veloce|una cosa|aiutarmi|aiutare|aiuto|aiutami|aiutatemi|mi aiuti|mi aiuta|mi aiutate|una mano|un'informazione|un informazione|informazioni|un problema|una richiesta|un dubbio|sos|help|disturbo|disturbare|disturbarla|un attimo|un minuto|due minuti|piacere di conoscerti|bentrovati|buon natale|buon anno|auguri|buona pasqua|eccomi|👋)
    `,
  },
  questions: `come, quando, perché, perchè, quanto, quanta, quanti, quante, quale, quali, qual è, qual'è, dove, dov'è, cosa devo, che cosa devo, posso, possiamo, si può, potrei, devo, bisogna,
    è possibile, avete, fate, offrite, vendete, accettate, spedite, consegnate, c'è un, c'è una, ci sono, vorrei, voglio, volevo sapere, ho bisogno di sapere, non riesco, nn riesco, non ho ricevuto,
    non funziona, nn funziona, non va, non mi fa, ho ordinato, ho comprato, ho ricevuto, ho perso, ho dimenticato, mi è arrivato, mi avete, il mio, la mia, i miei, le mie, mio, mia, ma, però, ordine,
    ordini, consegna, pacco, spedizione, fattura, conto, account, password, rimborso, abbonamento, contratto, prezzo, prezzi, costo, costa, tariffa, orari, orario, prenotazione, prenotare,
    appuntamento, biglietto, carta, garanzia, articolo, prodotto, prodotti, taglia, disponibile, pagamento, pagare, reso, resi, disdire, disdetta, assicurazione, polizza, modulo, pratica, indirizzo,
    numero, codice, l'app, app, aggiornamento, errore, volo, camera, linea, wifi, modem, addebito, bonifico, mutuo, prestito, documento, documenti, certificato, iscrizione, iscrivere, bolletta, sim,
    sconto`,
  notHuman: `
    ~ (non|nn) (voglio|vorrei|desidero|intendo|ho voglia di|c'è bisogno di|devo|serve) [più] (parlare|chiamare|contattare|telefonare|essere contattato|essere contattata|essere chiamato|essere richiamato|avere|ricevere) [<how>] [<prep>] [<det>] [<pre>] (<who>|chiamate|telefonate)
    ~ (non ho|nn ho|non mi|non c'è|non ho più) (bisogno|serve) (di un|di|di una|di parlare con|di parlare con un|un) [<pre>] <sure>
    ~ senza (parlare|passare|chiamare|contattare|dover|dovere|bisogno|telefonare|aspettare) [<adv>] [parlare|chiamare|contattare|passare] [<prep>] [<det>] [<pre>] <who>
    ~ (sto|stiamo) (parlando|chattando|scrivendo|comunicando|interagendo|conversando|dialogando|discutendo) (con|a|ad) [<bid>] [<bid>] (<being>|<self>|<who>)
    ~ (chi|chi è che) [mi] (risponde|scrive|parla|sta rispondendo|sta scrivendo) [<bid>] [<being>] … (o|oppure)
    ~ (sei|siete|lei è|tu sei|ma sei) [<bid>] [<bid>] (<being>|<self>) [<tail>] (o|oppure)
    ~ (sei|siete|lei è|tu sei|ma sei) (un|una|davvero un|davvero una|veramente un|veramente una|proprio un|proprio una) [<pre>] (<human>|persona|umano|operatore|agente|assistente)
    ~ (non|nn) (sono|sei|siete|è|sarai|saresti|sarete) [mica|solo|forse] (un|una) <bot>
    ~ (diventare|mestiere di|lavorare come|lavoro come|posizione di|assumete|assunzione|candidarmi|aggiungere|rimuovere|eliminare|invitare|cambiare|iscrivere|nominare|delegare) [<prep>] [<det>] [<pre>] <who>
    ~ (agente|agenti|l'agente) (immobiliare|immobiliari|di viaggio|di viaggi|assicurativo|assicurativi|di commercio|di polizia|di sicurezza|di zona|sportivo|atmosferico|atmosferici|di cambio|chimico|chimici)
    ~ (cambio|cambiare|precedente|vecchio|da altro|da un altro|altri|dal vecchio) (operatore|operatori)
    ~ (passare|passo|trasferire|portare|migrare|numero|numerazione|linea|verso) … (altro|nuovo|altri) (operatore|operatori)
    ~ operatore (mobile|di telefonia|turistico|logico|sanitario|socio sanitario|ecologico)
    ~ (risorse|corpo|diritti|errore|capitale|capelli) (umane|umano|umani)
    ~ (orari|orario|a che ora|quali orari|quanto costa|costa|apertura|tariffa|a pagamento|gratuito|gratis) … (servizio clienti|assistenza|l'assistenza|call center|numero verde|centralino|sportello|customer care|negozio|ufficio|l'ufficio)
    ~ (servizio clienti|assistenza|l'assistenza|call center|numero verde|centralino|customer care) (è|e|apre|chiude|è aperto) … (aperto|gratuito|chiuso|aperta|attivo|a pagamento|a che ora)
    ~ (corriere|il corriere|l'autista|il fattorino|il perito|postino|il postino) [può|puo|deve|mi|potrebbe] (mi|chiamarmi|contattarmi|chiama|contatta|avvisarmi|telefonarmi|chiamare|contattare)
    ~ (bisogna|occorre|è necessario) [prima|per forza|anche] (parlare|parlarne|chiamare|contattare|rivolgermi|sentire|consultare|chiedere) [<how>] [<prep>] [<det>] [<pre>] (<job>|<who>|<dept>)
    ~ <ofyou> (mi ha|mi aveva|ha|aveva|mi hanno) (detto|promesso|assicurato|risposto|chiamato|contattato|consigliato|venduto|indicato|confermato)
    ~ (aspirapolvere|tagliaerba|cucina|piscina|lavapavimenti|cucire|caffè|captcha|impastatrice) … (robot|macchina|macchine|bot)
    ~ (robot|macchina|macchine) (aspirapolvere|tagliaerba|da cucina|da piscina|lavapavimenti|da cucire|da caffè|del caffè|per il caffè|da scrivere|fotografica|lavavetri|per il pane|per la pasta|usata|elettrica|a noleggio)
  `,
};
