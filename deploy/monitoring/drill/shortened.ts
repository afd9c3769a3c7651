import { parse } from 'yaml';

interface Rule {
  expr: string;
  for?: string;
}
export interface RuleFile {
  groups: { interval?: string; rules: Rule[] }[];
}

const units: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const durations = /(\d+)([smhd])/g;

/** Rules, with every duration divided by the factor: windows, `for` and intervals. Thresholds stay as they are. */
export function shortenRules(text: string, factor: number): RuleFile {
  const shorten = (duration: string) =>
    duration.replaceAll(
      durations,
      (_all, count: string, unit = 's') => `${Math.round((Number(count) * (units[unit] ?? 1) * 1_000) / factor)}ms`,
    );
  const shortenExpression = (expr: string) =>
    expr
      // A number of events is a rate multiplied by its window.
      .replaceAll(
        /(\[\d+[hd]\]\)) \* (\d+)/g,
        (_all, range: string, seconds: string) => `${range} * ${Number(seconds) / factor}`,
      )
      .replaceAll(/\[[^\]]+\]/g, shorten);
  const { groups } = parse(text) as RuleFile;
  return {
    groups: groups.map((group) => ({
      ...group,
      ...(group.interval && { interval: shorten(group.interval) }),
      rules: group.rules.map((rule) => ({
        ...rule,
        expr: shortenExpression(rule.expr),
        ...(rule.for && { for: shorten(rule.for) }),
      })),
    })),
  };
}
