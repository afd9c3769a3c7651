import { Stack, Text } from '@mantine/core';
import { lineDiff, nameOf, textOf, upper, type Change } from './differences.ts';

const signLabels = { '+': '+ added', '−': '− removed', ' ': '' } as const;
const kinds = { '+': 'added', '−': 'removed', ' ': 'kept' } as const;

/** Changes by field. Each line has a sign and a label, so that colour is not the only cue. */
export const Changes = ({ changes, names }: { changes: Change[]; names?: Record<string, string> }) => (
  <Stack gap="sm">
    {changes.map(({ path, before, after }) => (
      <div key={path}>
        <Text fw={600}>{upper(nameOf(path))}</Text>
        <section className="diff" tabIndex={0} aria-label={`Changes to ${nameOf(path)}`}>
          {lineDiff(textOf(path, before, names), textOf(path, after, names)).map(({ sign, text }, at) => (
            <div className={`diff-${kinds[sign]}`} key={at}>
              <span className="diff-sign">{signLabels[sign]}</span>
              <span>{text || ' '}</span>
            </div>
          ))}
        </section>
      </div>
    ))}
  </Stack>
);
