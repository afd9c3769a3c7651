import type { Texts } from './types.ts';

export const fr: Texts = {
  greeting: 'Bonjour\u00a0! Comment puis-je vous aider\u00a0?',
  noAnswer: 'Désolé, je n’ai pas trouvé de réponse dans nos pages d’aide. Essayez de poser votre question autrement.',
  orPerson: 'Vous pouvez aussi demander à parler à un conseiller.',
  trouble: 'Désolé, je ne peux pas faire cette recherche pour le moment. Réessayez dans quelques minutes.',
  cut: '_La réponse a été interrompue. Veuillez reposer la question._',
  handedOff: 'J’ai transmis votre conversation à notre équipe. Quelqu’un vous répondra ici.',
  noPerson:
    'Désolé, je ne peux vous mettre en relation avec personne dans cette discussion. Posez-moi votre question et je chercherai une réponse dans nos pages d’aide.',
  thanks: 'Avec plaisir\u00a0! Puis-je vous aider pour autre chose\u00a0?',
  goodbye: 'Au revoir\u00a0! Revenez quand vous voulez si vous avez une question.',
  abuse:
    'Je suis désolé que ce soit si agaçant. Dites-moi en quelques mots ce qu’il vous faut et j’essaierai de nouveau.',
  identity: 'Je suis un chatbot, pas une personne. Je réponds aux questions à partir de nos pages d’aide.',
  stop: 'D’accord, j’arrête là. Écrivez-moi à nouveau quand vous voulez.',
  replyEmail: {
    ask: 'Si vous préférez ne pas attendre ici, écrivez votre adresse e-mail : nous vous répondrons aussi par e-mail.',
    noted: 'Merci. Nous enverrons aussi notre réponse à {email}.',
    subject: '{title} : réponse à votre conversation',
    hello: 'Bonjour,',
    intro: '{name} a répondu à votre conversation :',
    team: 'Notre équipe',
    button: 'Reprendre la conversation',
    why: 'Vous recevez cet e-mail parce que cette adresse a été indiquée dans la conversation « {title} ». Si ce n’était pas vous, ignorez cet e-mail.',
  },
  actions: {
    confirm: 'Veuillez vérifier les informations et confirmer. Je ne ferai rien avant.',
    done: 'C’est fait\u00a0: {it}.',
    failed: 'Cela n’a pas fonctionné\u00a0: {it}. Rien n’a été modifié.',
    notLookedUp: 'Je n’ai pas pu consulter cette information\u00a0: {it}. Réessayez dans quelques minutes.',
    unknown:
      'Je n’arrive pas à savoir si cela a abouti\u00a0: {it}. Vérifiez avant de réessayer. Notre équipe est prévenue.',
    working: 'Cela prend un peu plus de temps\u00a0: {it}. Je vous donnerai le résultat ici.',
    declined: 'D’accord, je ne le fais pas\u00a0: {it}.',
    expired: 'Vous n’avez pas confirmé à temps, rien n’a donc été fait\u00a0: {it}.',
    cancelled: 'Rien n’a été fait\u00a0: {it}.',
    doneAfterAll: 'Du nouveau pour «\u00a0{it}\u00a0»\u00a0: c’est finalement fait.',
    notDoneAfterAll: 'Du nouveau pour «\u00a0{it}\u00a0»\u00a0: cela n’a pas abouti.',
    signIn:
      'Je peux le faire dès que vous serez connecté\u00a0: {it}. Connectez-vous sur ce site, puis reposez votre question.',
    ask: '{it}\u00a0?',
    askAgain: 'Désolé, cela ne convient pas. {it} Écrivez «\u00a0annuler\u00a0» pour arrêter.',
    gaveUp: 'Désolé, je n’ai pas compris et je n’ai rien fait. N’hésitez pas à redemander.',
  },
};
