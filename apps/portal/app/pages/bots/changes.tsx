import { Stack, Text } from '@mantine/core';
import { lineDiff, nameOf, textOf, upper, type Change } from './differences.ts';

const words = { '+': '+ added', '−': '− removed', ' ': '' } as const;
const kinds = { '+': 'added', '−': 'removed', ' ': 'kept' } as const;

/** What changed, field by field, with a sign and a word for each line: colour only helps. */
export const Changes = ({ changes, called }: { changes: Change[]; called?: Record<string, string> }) => (
  <Stack gap="sm">
    {changes.map(({ path, before, after }) => (
      <div key={path}>
        <Text fw={600}>{upper(nameOf(path))}</Text>
        <div className="diff" tabIndex={0} role="region" aria-label={`Changes to ${nameOf(path)}`}>
          {lineDiff(textOf(path, before, called), textOf(path, after, called)).map(({ sign, text }, at) => (
            <div className={`diff-${kinds[sign]}`} key={at}>
              <span className="diff-sign">{words[sign]}</span>
              <span>{text || ' '}</span>
            </div>
          ))}
        </div>
      </div>
    ))}
  </Stack>
);
