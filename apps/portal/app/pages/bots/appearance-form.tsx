import { ColorInput, Group, Input, NumberInput, SegmentedControl, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { Section, Status } from '@parley/portal-kit/ui';
import { useState } from 'react';
import { useMe } from '../../parts/me.ts';
import { hasPermission } from '../../parts/rights.ts';
import { isColour, ratioText, contrastChecks } from './contrast.ts';
import type { DraftEditor } from './draft.tsx';
import { Preview } from '../../parts/preview.tsx';
import { useBot, type Appearance } from './bot-data.ts';

export function AppearanceForm({ draftEditor }: { draftEditor: DraftEditor }) {
  const { draft, set, revision } = draftEditor;
  const appearance = draft.appearance;
  const setAppearance = (patch: Partial<Appearance>) => set({ appearance: { ...appearance, ...patch } });
  const { bot } = useBot();
  const canPreview = hasPermission(useMe(), 'bot.manage');
  const frame = { botId: bot.id, revision, appearance };
  const wide = 960;
  const { ref, width } = useElementSize();
  const scale = width > 0 ? Math.min(1, width / wide) : 1;
  return (
    <Section
      title="Appearance"
      description="Part of the draft: visitors see changes once you publish. The previews update as you edit."
    >
      <Fields appearance={appearance} onChange={setAppearance} />
      <ContrastChecks accent={appearance.accent} />
      {canPreview ? (
        <div className="appearance-layout">
          <div ref={ref} className="scaled" style={{ '--scale': scale } as object}>
            <Preview {...frame} label="Desktop" title={`${bot.name} on a desktop`} height={600} width={wide} />
          </div>
          <Preview {...frame} label="Phone" title={`${bot.name} on a phone`} height={600} width={360} />
        </div>
      ) : (
        <Text>Only owners, admins or developers can see the preview.</Text>
      )}
    </Section>
  );
}

interface FieldsProps {
  appearance: Appearance;
  onChange(patch: Partial<Appearance>): void;
}

const lengths = [
  { name: 'radius', label: 'Corner radius', max: 28 },
  { name: 'offsetX', label: 'Side spacing', max: 200 },
  { name: 'offsetY', label: 'Bottom spacing', max: 200 },
] as const;

const choices = [
  {
    name: 'theme',
    label: 'Theme',
    data: [
      { value: 'auto', label: 'Match device' },
      { value: 'light', label: 'Light' },
      { value: 'dark', label: 'Dark' },
    ],
  },
  {
    name: 'side',
    label: 'Position',
    data: [
      { value: 'left', label: 'Left' },
      { value: 'right', label: 'Right' },
    ],
  },
  {
    name: 'icon',
    label: 'Button icon',
    data: [
      { value: 'chat', label: 'Bubble' },
      { value: 'question', label: 'Question' },
      { value: 'spark', label: 'Spark' },
    ],
  },
] as const;

function Fields({ appearance, onChange }: FieldsProps) {
  const [typed, setTyped] = useState(appearance.accent);
  // A colour from a reload or a discard replaces the typed one.
  const shown = isColour(typed) && typed.toLowerCase() !== appearance.accent.toLowerCase() ? appearance.accent : typed;
  return (
    <div className="pair">
      <ColorInput
        label="Accent colour"
        value={shown}
        onChange={(value) => {
          setTyped(value);
          if (isColour(value)) onChange({ accent: value.toLowerCase() });
        }}
        format="hex"
        swatches={['#0f766e', '#1d4ed8', '#7c3aed', '#be123c', '#c2410c', '#15803d', '#334155', '#000000']}
        error={isColour(shown) ? undefined : 'Enter a colour like #0f766e.'}
        eyeDropperButtonProps={{ 'aria-label': 'Pick a colour from the screen' }}
      />
      {choices.map(({ name, label, data }) => (
        <Input.Wrapper key={name} label={label} labelElement="div">
          <SegmentedControl
            fullWidth
            aria-label={label}
            data={[...data]}
            value={appearance[name]}
            onChange={(value) => onChange({ [name]: value })}
          />
        </Input.Wrapper>
      ))}
      {lengths.map(({ name, label, max }) => (
        <NumberInput
          key={name}
          label={label}
          value={appearance[name]}
          onChange={(value) => typeof value === 'number' && onChange({ [name]: value })}
          min={0}
          max={max}
          suffix=" px"
          allowDecimal={false}
          clampBehavior="strict"
        />
      ))}
    </div>
  );
}

const ContrastChecks = ({ accent }: { accent: string }) => (
  <div role="group" aria-label="Contrast">
    <Text fw={600}>Contrast</Text>
    <ul className="rows contrast-checks">
      {contrastChecks(accent).map(({ label, background, foreground, ratio, tone, message }) => (
        <li key={label}>
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <span className="swatch" style={{ background, color: foreground }} aria-hidden />
            <div>
              <Group gap="xs">
                <Text>{label}</Text>
                <Status tone={tone}>{ratioText(ratio)}</Status>
              </Group>
              <Text size="sm" c="dimmed">
                {message}
              </Text>
            </div>
          </Group>
        </li>
      ))}
    </ul>
  </div>
);
