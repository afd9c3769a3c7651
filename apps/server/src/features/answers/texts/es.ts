import type { Texts } from './types.ts';

export const es: Texts = {
  greeting: '¡Hola! ¿En qué puedo ayudarte?',
  noAnswer: 'Lo siento, no encontré una respuesta en nuestras páginas de ayuda. Prueba a preguntarlo de otra forma.',
  orPerson: 'También puedes pedir hablar con una persona.',
  trouble: 'Lo siento, ahora mismo no puedo consultarlo. Inténtalo de nuevo en unos minutos.',
  cut: '_La respuesta se cortó. Vuelve a preguntar, por favor._',
  handedOff: 'He pasado tu chat a nuestro equipo. Alguien te responderá aquí.',
  noPerson:
    'Lo siento, en este chat no puedo ponerte en contacto con nadie. Hazme tu pregunta y buscaré la respuesta en nuestras páginas de ayuda.',
  thanks: '¡De nada! ¿Puedo ayudarte en algo más?',
  goodbye: '¡Hasta luego! Vuelve cuando quieras si tienes alguna pregunta.',
  abuse: 'Siento que esto sea frustrante. Dime en pocas palabras qué necesitas y lo intento de nuevo.',
  identity: 'Soy un chatbot, no una persona. Respondo preguntas a partir de nuestras páginas de ayuda.',
  stop: 'De acuerdo, lo dejo aquí. Escríbeme cuando quieras.',
  actions: {
    confirm: 'Revisa los datos y confirma, por favor. No haré nada hasta entonces.',
    done: 'Hecho: {it}.',
    failed: 'No funcionó: {it}. No se cambió nada.',
    notLookedUp: 'No pude consultarlo ahora mismo: {it}. Inténtalo de nuevo en unos minutos.',
    unknown:
      'No pude comprobar si se completó: {it}. Compruébalo antes de intentarlo otra vez. Ya hemos avisado a nuestro equipo.',
    working: 'Esto está tardando un poco más: {it}. Te diré aquí el resultado.',
    declined: 'De acuerdo, no lo haré: {it}.',
    expired: 'No confirmaste a tiempo, así que no se hizo nada: {it}.',
    cancelled: 'No se hizo nada: {it}.',
    doneAfterAll: 'Novedades sobre «{it}»: al final se completó.',
    notDoneAfterAll: 'Novedades sobre «{it}»: no se completó.',
    signIn: 'Puedo hacerlo cuando inicies sesión: {it}. Inicia sesión en este sitio y vuelve a preguntar.',
    ask: '¿{it}?',
    askAgain: 'Lo siento, eso no es válido. {it} Escribe «cancelar» para parar.',
    gaveUp: 'Lo siento, no lo entendí, así que no hice nada. Pregunta de nuevo cuando quieras.',
  },
};
