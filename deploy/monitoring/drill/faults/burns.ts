/** Both alerts of these objectives. */
export const burns = (...objectives: string[]) =>
  objectives.flatMap((name) => [`Parley${name}ErrorBudgetBurn critical`, `Parley${name}ErrorBudgetBurn warning`]);
