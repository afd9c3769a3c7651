// Content for the visual tests: long and short, with every Markdown construct.

const en = {
  shop: 'Northlight Outdoor',
  title: 'Northlight Help',
  greeting: 'Hello! I know our **delivery times**, returns and tents. What would you like to know?',
  quickReplies: ['How long does delivery take?', 'Can I send a tent back?', 'Opening hours'],
  disclosure: 'Answers are written by a machine and may be wrong.',
  away: 'Our team is away until Monday. We have your message, and reply by email to mail@shop.example.',
  tip: 'Which tent fits you? Tell us how many of you travel, in which season, and what you can carry: we know all tents, also Northlight-Expedition-Fjell-4-Season.',
  question: 'How long does delivery to Sylt take, and what does it cost?',
  streamQuestion: 'Tell me everything about your tents.',
  cutQuestion: 'And the sleeping bags?',
  replyTokens:
    'All our tents stand up to a storm. The Fjell weighs 1.9 kg and sleeps two. The Skerry weighs 2.6 kg and sleeps three, with room for two rucksacks in front.'.split(
      ' ',
    ),
  personal: 'Hello, this is Test Person. I have looked at your order: it leaves our house today.',
  markdown: `### Delivery to islands

It takes **two to four working days**, on islands one more [1]. ~~Express~~ is *not* offered there.

1. Choose your island at the checkout
2. We show the day before you pay
   - also for \`bulky\` goods
   - not for gas cartridges

| From | Days | Price |
|---|---|---|
| Sylt | 3–5 | 6.90 € |
| Helgoland, by ship, in winter twice a week | 4–7 | 9.90 € |

> Orders above 60 € are delivered free of charge [2].

\`\`\`
Tracking: NL-2024-0815-DE-25980-SYLT-LONG-NUMBER-0001
\`\`\`

See [all prices](https://shop.example/delivery) or write to mail@shop.example.`,
  sources: [
    { n: 1, title: 'Delivery', heading: 'Islands', url: 'https://shop.example/delivery#islands' },
    { n: 2, title: 'Prices and terms', heading: 'Free delivery', url: null },
  ],
  card: {
    title: 'Cancel order NL-20481?',
    fields: [
      { label: 'Order', value: 'NL-20481' },
      { label: 'Article', value: 'Fjell 2, tent for two, moss green, with footprint and repair kit' },
      { label: 'Refund', value: '349.00 € to the card ending in 4417' },
    ],
    confirmLabel: 'Cancel the order',
  },
};
export type SceneTexts = typeof en;

const ar: SceneTexts = {
  ...en,
  shop: 'نورثلايت للرحلات',
  title: 'مساعدة نورثلايت',
  greeting: 'مرحبًا! أعرف **مواعيد التوصيل** والإرجاع والخيام. ماذا تريد أن تعرف؟',
  quickReplies: ['كم يستغرق التوصيل؟', 'هل يمكنني إرجاع خيمة؟', 'ساعات العمل'],
  disclosure: 'الإجابات تكتبها آلة وقد تكون خاطئة.',
  question: 'كم يستغرق التوصيل إلى جزيرة Sylt وكم يكلف؟',
  streamQuestion: 'أخبرني بكل شيء عن خيامكم.',
  cutQuestion: 'وماذا عن أكياس النوم؟',
  replyTokens:
    'كل خيامنا تصمد أمام العاصفة. تزن خيمة Fjell نحو ١٫٩ كجم وتتسع لشخصين، وفيها مكان لحقيبتين في المقدمة.'.split(' '),
  personal: 'مرحبًا، راجعت طلبك: سيغادر مستودعنا اليوم.',
  markdown: `### التوصيل إلى الجزر

يستغرق **من يومين إلى أربعة أيام عمل** ويومًا إضافيًا إلى الجزر [1].

1. اختر جزيرتك عند الدفع
2. نعرض اليوم قبل أن تدفع
   - أيضًا للبضائع \`bulky\`

| من | الأيام | السعر |
|---|---|---|
| Sylt | 3–5 | 6.90 € |
| هيلغولاند بالسفينة مرتين في الأسبوع شتاءً | 4–7 | 9.90 € |

> الطلبات فوق 60 € توصل مجانًا [2].

\`\`\`
Tracking: NL-2024-0815-DE-25980-SYLT-LONG-NUMBER-0001
\`\`\`

انظر [كل الأسعار](https://shop.example/delivery).`,
  sources: [
    { n: 1, title: 'التوصيل', heading: 'الجزر', url: 'https://shop.example/delivery#islands' },
    { n: 2, title: 'الأسعار والشروط', heading: 'التوصيل المجاني', url: null },
  ],
  card: {
    title: 'إلغاء الطلب NL-20481؟',
    fields: [
      { label: 'الطلب', value: 'NL-20481' },
      { label: 'السلعة', value: 'خيمة Fjell 2 لشخصين، خضراء، مع أرضية وعدة إصلاح' },
      { label: 'المبلغ المسترد', value: '349.00 € إلى البطاقة المنتهية بـ 4417' },
    ],
    confirmLabel: 'إلغاء الطلب',
  },
};

export const sceneTexts = { en, ar };
