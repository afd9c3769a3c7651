/** What a bot says in a language, unless its owner wrote something else. */
export interface Texts {
  greeting: string;
  noAnswer: string;
  /** Added to `noAnswer` and `trouble` where a person can be asked for. */
  orPerson: string;
  /** Sent when the lookup failed. */
  trouble: string;
  cut: string;
  /** The visitor asked for a person, and someone will reply. */
  handedOff: string;
  /** The visitor asked for a person, and there is none. */
  noPerson: string;
  thanks: string;
  goodbye: string;
  abuse: string;
  identity: string;
  stop: string;
  replyEmail: ReplyEmailTexts;
  actions: ActionTexts;
}

/** For visitors who wait for a person and leave an email address. `{title}` is the bot's title. */
export interface ReplyEmailTexts {
  /** Sent in the chat, after `handedOff`. */
  ask: string;
  noted: string;
  /** The email itself. `{name}` is who replied, or `team`. */
  subject: string;
  hello: string;
  intro: string;
  team: string;
  button: string;
  why: string;
}

/**
 * Messages about actions. `{it}` is replaced by the name of the action or the requested input. They must not claim more
 * than is known.
 */
export interface ActionTexts {
  confirm: string;
  done: string;
  failed: string;
  notLookedUp: string;
  unknown: string;
  working: string;
  declined: string;
  expired: string;
  cancelled: string;
  doneAfterAll: string;
  notDoneAfterAll: string;
  signIn: string;
  ask: string;
  askAgain: string;
  gaveUp: string;
}
