// Conversations at Northlight, a bike shop in Hamburg, in the last three weeks.

export const team = [
  { name: 'Ben Carter', email: 'ben@northlight.example', roles: ['admin'] },
  { name: 'Chiara Rossi', email: 'chiara@northlight.example', roles: ['agent'] },
  { name: 'Deniz Yılmaz', email: 'deniz@northlight.example', roles: ['agent'] },
  { name: 'Emma Larsen', email: 'emma@northlight.example', roles: ['developer'] },
  { name: 'Finn Meyer', email: 'finn@northlight.example', roles: ['viewer'] },
] as const;

export const customers = [
  'lena.hoffmann',
  'jonas.weber',
  'amelia.clarke',
  'mateo.garcia',
  'sofia.lindqvist',
  'noah.bennett',
  'marie.dubois',
  'paul.schneider',
  'olivia.harris',
  'elif.kaya',
  'tom.fischer',
  'grace.murphy',
  'luca.bianchi',
  'anna.becker',
  'henry.walker',
].map((name, index) => ({ externalUserId: `customer-${1_041 + index * 7}`, email: `${name}@example.com` }));

export const pages = ['/', '/bikes', '/bikes/fjord-7', '/help', '/checkout', '/account/orders', '/service'];

/** Answered from knowledge; each list is one visitor's questions in a row. */
export const answered = {
  en: [
    ['How long does delivery take?'],
    ['How much is shipping?', 'And is it free above some amount?'],
    ['Can I send something back within 30 days?'],
    ['How do I return something?', 'When do I get my money back?'],
    ['What are your opening hours?'],
    ['Is the workshop open on Saturday?'],
    ['How should I store the battery over winter?'],
    ['How long does a full charge take?'],
    ['How long is the warranty on the frame?', 'Does it cover brake pads?'],
    ['How much is a small service?'],
    ['How do I book a repair?', 'How long does a large service take?'],
    ['Do you call before replacing parts?'],
  ],
  de: [
    ['Wie lange dauert die Lieferung?'],
    ['Was kostet der Versand?'],
    ['Wie kann ich etwas zurückgeben?', 'Wann bekomme ich mein Geld zurück?'],
    ['Habt ihr samstags geöffnet?'],
    ['Wie lange habe ich Garantie auf den Akku?'],
  ],
} as const;

/** Not in the knowledge, so these show up under unanswered questions. */
export const unanswered = {
  en: [
    'Do you rent cargo bikes?',
    'Can I pay with PayPal?',
    'Do you ship to Switzerland?',
    'Do you offer company bike leasing?',
    'Can I test ride the Fjord 7 in Berlin?',
    'Do you rent cargo bikes?',
    'Can I pay with PayPal?',
  ],
  de: ['Kann ich mit PayPal bezahlen?', 'Liefert ihr in die Schweiz?', 'Bietet ihr Jobrad an?'],
} as const;

interface Handoff {
  language: 'en' | 'de';
  question: string;
  reason: string;
  replies: readonly (readonly [agent: string, visitor: string | null])[];
  note?: string;
}

export const handoffs: readonly Handoff[] = [
  {
    language: 'en',
    question: 'My Fjord 7 makes a grinding noise when I brake hard.',
    reason: 'Brakes make a grinding noise',
    replies: [
      ['Hi, Chiara here. That sounds like worn pads. How many kilometres have you ridden?', 'About 1,800 I think'],
      ['Then they’re due. I can book you in for Thursday at 10, does that work?', 'Perfect, thank you!'],
    ],
    note: 'Booked Thursday 10:00, bay 2. Pads are in stock.',
  },
  {
    language: 'en',
    question: 'The invoice has the wrong company name on it.',
    reason: 'Invoice needs a correction',
    replies: [
      ['Sorry about that! I’ve just sent you a corrected invoice by email.', 'Got it, thanks for the quick help'],
    ],
  },
  {
    language: 'en',
    question: 'One of the pannier hooks arrived broken.',
    reason: 'Damaged part in the delivery',
    replies: [
      ['Thanks for telling us. Could you tell me your order number?', 'A-1003'],
      ['A replacement is on its way and arrives on Tuesday. You don’t need to send the old one back.', null],
    ],
    note: 'Third broken hook this month: tell purchasing.',
  },
  {
    language: 'de',
    question: 'Mein Display bleibt schwarz, obwohl der Akku voll ist.',
    reason: 'Display bleibt schwarz',
    replies: [
      [
        'Hallo, hier ist Deniz. Haben Sie den Akku schon einmal herausgenommen und neu eingesetzt?',
        'Ja, leider ohne Erfolg',
      ],
      ['Dann schauen wir uns das an. Passt Ihnen morgen um 15 Uhr?', 'Ja, super, danke!'],
    ],
  },
  {
    language: 'en',
    question: 'Can you hold the blue frame in size M for me until Friday?',
    reason: 'Wants to reserve a frame',
    replies: [['Done. It’s reserved in your name until Friday, 7 pm.', 'Brilliant, see you then']],
  },
];

/** Still open today. */
export const waiting = [
  {
    question: 'My order arrived without the charger.',
    reason: 'Charger missing from the order',
    more: 'I need the bike on Saturday. Could you send the charger before then?',
    minutesAgo: 11,
  },
  {
    question: 'I was charged twice for my helmet.',
    reason: 'Charged twice',
    more: 'Both payments are on my card statement from yesterday.',
    minutesAgo: 4,
  },
] as const;
export const assigned = [
  {
    agent: 'chiara@northlight.example',
    question: 'The app won’t pair with my new display.',
    reason: 'App does not pair',
    reply: 'Hi! Which phone do you use, and which version of the app?',
    minutesAgo: 26,
  },
  {
    agent: 'ada@demo.example',
    question: 'We’d like to order 12 bikes for our company.',
    reason: 'Company order of 12 bikes',
    reply: 'That’s great to hear! I’ll put an offer together. Which models do you have in mind?',
    minutesAgo: 47,
  },
] as const;

export const comments = ['Quick and clear', 'Exactly what I needed', '', '', '', 'Friendly!', 'Solved in two minutes'];

export const germanHelp = [
  {
    heading: 'Lieferung und Versand',
    body: 'Die Lieferung innerhalb Deutschlands dauert zwei bis vier Werktage. Der Versand kostet 4,90 €, ab 60 € liefern wir kostenlos. Ganze Fahrräder bringt eine Spedition, die vorher einen Termin vereinbart.',
  },
  {
    heading: 'Rückgabe und Erstattung',
    body: 'Sie können alles innerhalb von 30 Tagen ohne Angabe von Gründen zurückgeben. Drucken Sie das Rücksendeetikett in Ihrem Konto aus und geben Sie das Paket bei einer Postfiliale ab. Ihr Geld bekommen Sie innerhalb von fünf Werktagen nach Eingang zurück.',
  },
  {
    heading: 'Öffnungszeiten',
    body: 'Unser Laden in Hamburg ist montags bis samstags von 10 bis 19 Uhr geöffnet, die Werkstatt bis 18 Uhr. An Feiertagen ist geschlossen.',
  },
  {
    heading: 'Garantie',
    body: 'Auf den Rahmen geben wir zehn Jahre Garantie, auf Motor und Akku zwei Jahre oder 500 Ladezyklen. Verschleißteile wie Reifen und Bremsbeläge sind ausgenommen.',
  },
];
