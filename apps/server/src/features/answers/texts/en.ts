import type { Texts } from './types.ts';

export const en: Texts = {
  greeting: 'Hi! How can I help?',
  noAnswer: 'Sorry, I couldn’t find an answer to that in our help pages. Try asking in a different way.',
  orPerson: 'You can also ask to talk to a person.',
  trouble: 'Sorry, I can’t look that up right now. Please try again in a few minutes.',
  cut: '_The answer was cut off. Please ask again._',
  handedOff: 'I’ve passed your chat on to our team. Someone will reply to you here.',
  noPerson:
    'I’m sorry, there’s no one I can connect you with in this chat. Ask me anything, and I’ll look for an answer in our help pages.',
  thanks: 'You’re welcome! Is there anything else I can help with?',
  goodbye: 'Goodbye! Come back any time you have a question.',
  abuse: 'I’m sorry this is frustrating. Tell me briefly what you need, and I’ll try again.',
  identity: 'I’m a chatbot, not a person. I answer questions from our help pages.',
  stop: 'OK, I’ll leave it there. Write to me again whenever you like.',
  actions: {
    confirm: 'Please check the details and confirm. I won’t do anything until you do.',
    done: 'Done: {it}.',
    failed: 'That didn’t work: {it}. Nothing was changed.',
    notLookedUp: 'I couldn’t look that up right now: {it}. Please try again in a few minutes.',
    unknown:
      'I couldn’t confirm whether this went through: {it}. Please check before you try again. Our team has been notified.',
    working: 'This is taking a little longer: {it}. I’ll post the result here.',
    declined: 'OK, I won’t do that: {it}.',
    expired: 'You didn’t confirm in time, so nothing was done: {it}.',
    cancelled: 'Nothing was done: {it}.',
    doneAfterAll: 'Update on “{it}”: it went through after all.',
    notDoneAfterAll: 'Update on “{it}”: it didn’t go through.',
    signIn: 'I can do that once you’re signed in: {it}. Please sign in on this site and ask again.',
    ask: '{it}?',
    askAgain: 'Sorry, that doesn’t look right. {it} Type “cancel” to stop.',
    gaveUp: 'Sorry, I didn’t understand that, so I haven’t done anything. Feel free to ask again.',
  },
};
