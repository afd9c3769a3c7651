import type { Texts } from './types.ts';

export const pt: Texts = {
  greeting: 'Olá! Como posso ajudar?',
  noAnswer: 'Lamento, não encontrei resposta nas nossas páginas de ajuda. Tente perguntar de outra forma.',
  orPerson: 'Também pode pedir para falar com uma pessoa.',
  trouble: 'Lamento, não consigo consultar isso neste momento. Tente novamente dentro de alguns minutos.',
  cut: '_A resposta foi interrompida. Pergunte novamente, por favor._',
  handedOff: 'Passei a sua conversa à nossa equipa. Alguém vai responder aqui.',
  noPerson:
    'Lamento, neste chat não há ninguém a quem o possa ligar. Faça a sua pergunta e eu procuro a resposta nas nossas páginas de ajuda.',
  thanks: 'De nada! Posso ajudar em mais alguma coisa?',
  goodbye: 'Até breve! Volte sempre que tiver uma pergunta.',
  abuse: 'Lamento que isto seja frustrante. Diga-me em poucas palavras do que precisa e tento de novo.',
  identity: 'Sou um chatbot, não uma pessoa. Respondo a perguntas com base nas nossas páginas de ajuda.',
  stop: 'Está bem, fico por aqui. Escreva-me quando quiser.',
  actions: {
    confirm: 'Verifique os dados e confirme, por favor. Até lá, não faço nada.',
    done: 'Feito: {it}.',
    failed: 'Não funcionou: {it}. Nada foi alterado.',
    notLookedUp: 'Não consegui consultar isso agora: {it}. Tente novamente dentro de alguns minutos.',
    unknown:
      'Não consegui confirmar se isto foi concluído: {it}. Verifique antes de tentar de novo. A nossa equipa já foi avisada.',
    working: 'Isto está a demorar um pouco mais: {it}. Escrevo aqui o resultado.',
    declined: 'Está bem, não faço isso: {it}.',
    expired: 'Não confirmou a tempo, por isso nada foi feito: {it}.',
    cancelled: 'Nada foi feito: {it}.',
    doneAfterAll: 'Novidades sobre «{it}»: afinal foi concluído.',
    notDoneAfterAll: 'Novidades sobre «{it}»: não foi concluído.',
    signIn: 'Posso fazer isso quando iniciar sessão: {it}. Inicie sessão neste site e pergunte de novo.',
    ask: '{it}?',
    askAgain: 'Lamento, isso não é válido. {it} Escreva «cancelar» para parar.',
    gaveUp: 'Lamento, não percebi, por isso não fiz nada. Pergunte de novo quando quiser.',
  },
};
