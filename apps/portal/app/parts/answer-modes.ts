/** How a bot answers: the labels of setup, the Build page and version comparisons. */
export const answerModes = {
  extractive: {
    label: 'Quote my content',
    description: 'Word for word, with its source. Nothing is made up, and there’s no AI cost.',
  },
  model: {
    label: 'Write answers with AI',
    description: 'The AI writes each answer from your content and cites it. Every answer has a cost.',
  },
} as const;

export type AnswerMode = keyof typeof answerModes;
