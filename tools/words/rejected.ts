/** A word or phrase that we stopped using, and what to write instead. A pattern; matched without regard to case. */
export interface Rejected {
  reject: string;
  use: string;
  /** Only in sentences, also those in comments: ordinary in names. */
  isCopyOnly?: true;
  /** Only in names: ordinary in a sentence, also in a test title. */
  isNameOnly?: true;
  /** Only as the whole name of a type: a participle or a question says nothing about what it is. */
  isTypeOnly?: true;
}

export const rejected: Rejected[] = [
  // Email, sign-in
  { reject: 'letters?', use: 'email' },
  { reject: 'postm[ae]n', use: 'mailer' },
  { reject: 'mailbox(es)?', use: 'inbox, or "check your email"', isCopyOnly: true },
  { reject: 'unwanted mail', use: 'spam folder' },
  { reject: 'e-mails?', use: 'email' },
  { reject: 'second (proof|factor)s?', use: 'two-factor authentication', isCopyOnly: true },
  { reject: 'prove again', use: 'confirm it’s you', isCopyOnly: true },
  { reject: 'keep in mind', use: 'remember', isCopyOnly: true },
  { reject: 'good for (a|an|one|five|ten|\\d+)', use: 'expires in …', isCopyOnly: true },
  { reject: 'guess(es|ed)?', use: 'attempt' },
  { reject: 'sign(s|ed)? off', use: 'sign out', isCopyOnly: true },
  // Storage and security
  { reject: '(un)?seal(s|ed|ing)?', use: 'encrypt, decrypt, encrypted' },
  { reject: 'doors?', use: 'HTTP client, egress, entry point' },
  { reject: 'walls?', use: 'row-level security, limit' },
  { reject: 'holes?', use: 'vulnerability', isCopyOnly: true },
  { reject: 'vouch(es|ed)?', use: 'authenticate', isCopyOnly: true },
  // Webhooks, events, queues
  { reject: 'parcels?', use: 'payload, request' },
  { reject: 'handed on|hands on', use: 'delivered, published' },
  { reject: '(gives?|gave|given|giving) up', use: 'failed', isCopyOnly: true },
  { reject: 'unwell', use: 'unhealthy' },
  { reject: 'tries', use: 'attempts', isCopyOnly: true },
  { reject: 'held', use: 'paused, suspended, queued', isCopyOnly: true },
  { reject: 'tell(s)? it of|told', use: 'notify, send; for a person: see', isCopyOnly: true },
  { reject: 'pump|lie down|stretch(es)?', use: 'dispatcher, idle, batch' },
  { reject: 'sightings?', use: 'install, last seen' },
  { reject: 'signed callbacks?', use: 'webhook', isCopyOnly: true },
  // Bots and knowledge
  { reject: 'passages?', use: 'chunk; in copy: excerpt' },
  { reject: 'wish(es|ed)?', use: 'tool call' },
  { reject: 'teach(es)?|taught', use: 'add knowledge', isCopyOnly: true },
  { reject: 'texts', use: 'content', isCopyOnly: true },
  { reject: 'words', use: 'text, label, terms', isCopyOnly: true },
  { reject: 'purse', use: 'budget' },
  { reject: 'engines?', use: 'Restate' },
  { reject: 'ledger', use: 'attempts', isCopyOnly: true },
  { reject: 'unclear end|came of it', use: 'no response; result', isCopyOnly: true },
  { reject: 'externalStores', use: 'external, another …' },
  // Names
  { reject: 'desk', use: 'operator context, caller context', isNameOnly: true },
  { reject: 'ground', use: 'services', isNameOnly: true },
  { reject: '(most|least)(?= [a-z])', use: 'max, min', isNameOnly: true },
  { reject: 'tells?|told|telling', use: 'publish, notify, emit', isNameOnly: true },
  { reject: 'judge[sd]?|judgement', use: 'evaluate', isNameOnly: true },
  { reject: 'forgets?|forgetting|forgotten', use: 'invalidate, purge, delete', isNameOnly: true },
  { reject: 'patience', use: 'timeout', isNameOnly: true },
  { reject: 'hang up|lie down|take one|keep taking on', use: 'close, go idle, consume, poll loop', isNameOnly: true },
  { reject: 'handovers?', use: 'impersonation, handoff', isNameOnly: true },
  { reject: 'turn (signing|data) key', use: 'rotate … key', isNameOnly: true },
  { reject: 'pressure', use: 'rate-limit usage', isNameOnly: true },
  {
    reject:
      'from|place|parts|asked|asking|heard|said|told|wanted|seen|kept|shown|found|known|who|whose|where|way|made|ended|caught|counted|given|left|going|begun|lent|acting|acted|standing|by|answered|sent|held|meant|called|opened|spoken|written|proven|visited|needed|listed|named|explained|described|thing|trouble',
    use: 'a noun: …Deps, …Input, …Result, …Row, …Context',
    isTypeOnly: true,
  },
  // Organisation and admin
  { reject: 'in .{1,20}’s place|act as (a|one)', use: 'impersonate', isCopyOnly: true },
  { reject: 'up to and with', use: 'to', isCopyOnly: true },
  { reject: 'vitals', use: 'health metrics' },
  { reject: 'mend(s|ed|ing)?', use: 'fix' },
  // English that nobody speaks to a customer
  { reject: 'some ?body|somebody of you', use: 'someone', isCopyOnly: true },
  { reject: 'nobody', use: 'no one', isCopyOnly: true },
  { reject: 'whoever', use: 'anyone who, the person who', isCopyOnly: true },
  { reject: 'at once', use: 'immediately, at the same time', isCopyOnly: true },
  { reject: 'beg[iau]n(s|ning|nings)?', use: 'start', isCopyOnly: true },
  { reject: '(go|goes|going|went|gone) on', use: 'continue', isCopyOnly: true },
  { reject: 'shall', use: 'should, will', isCopyOnly: true },
  { reject: 'of (its|their|your|our|his|her) own', use: 'its own, your own', isCopyOnly: true },
  { reject: 'of (yours|theirs|ours)', use: 'your, their', isCopyOnly: true },
  { reject: 'by (itself|themselves|yourself)', use: 'automatically', isCopyOnly: true },
  { reject: 'once more', use: 'again', isCopyOnly: true },
  { reject: 'look(s|ed|ing)? (into|again|after)', use: 'check, check again', isCopyOnly: true },
  { reject: 'beside', use: 'next to, alongside', isCopyOnly: true },
  { reject: 'counts? (for nothing|against nobody)', use: 'isn’t counted', isCopyOnly: true },
  { reject: 'till', use: 'until', isCopyOnly: true },
  { reject: 'upkeep', use: 'maintenance', isCopyOnly: true },
];

/** Where ordinary English, a quotation or a promised name needs a rejected word. At most 60. */
export const allowed: { text: string; reason: string; isCommentOnly?: true }[] = [
  { text: 'capital letter', reason: 'of the alphabet' },
  { text: 'letters and digits', reason: 'of the alphabet' },
  { text: 'search engine', reason: 'the field’s own word' },
  { text: 'wall time', reason: 'the field’s own word' },
  { text: 'letter-spacing', reason: 'a CSS property' },
  { text: 'e-mail-adresse', reason: 'German' },
  { text: 'diese e-mail', reason: 'German' },
  { text: 'begin read', reason: 'SQL' },
  { text: 'begin; set local', reason: 'SQL' },
  { text: 'begin\n    loop', reason: 'SQL' },
  { text: 'wall ms', reason: 'the field’s own word: wall time' },
  { text: 'first letter', reason: 'of the alphabet' },
  { text: 'least used', reason: 'the field’s own word' },
  { text: 'at most once', reason: 'the field’s own word, and a value of the API' },
  { text: 'the most hostile', reason: 'ordinary English in a page' },
  { text: 'engines', reason: 'a field of package.json' },
  { text: 'second factor changed', reason: 'the kind of an email, which is stored' },
  { text: 'second factor', reason: 'what an account has in addition to a password', isCommentOnly: true },
  { text: 'secrets engine', reason: 'the name in Vault’s manual' },
  { text: 'sealed vault', reason: 'a state in Vault’s manual' },
  { text: 'sealed service', reason: 'the same state, of a key service in general' },
  { text: 'stop words', reason: 'the field’s own word' },
  { text: 'fewer words', reason: 'a length in words of a language', isCommentOnly: true },
  { text: 'too many words', reason: 'a length in words of a language', isCommentOnly: true },
  { text: 'between words', reason: 'words of a language', isCommentOnly: true },
  { text: 'whole words', reason: 'words of a language', isCommentOnly: true },
  { text: 'hyphenated words', reason: 'words of a language', isCommentOnly: true },
];
