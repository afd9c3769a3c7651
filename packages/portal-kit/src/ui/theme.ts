import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core';

const teal: MantineColorsTuple = [
  '#F0FDFA',
  '#CCFBF1',
  '#99F6E4',
  '#5EEAD4',
  '#2DD4BF',
  '#14B8A6',
  '#0D9488',
  '#0F766E',
  '#115E59',
  '#134E4A',
];
const slate: MantineColorsTuple = [
  '#F8FAFC',
  '#F1F5F9',
  '#E2E8F0',
  '#CBD5E1',
  '#94A3B8',
  '#64748B',
  '#475569',
  '#334155',
  '#1E293B',
  '#0F172A',
];
/** From light to dark, as Mantine expects. The darkest are the backgrounds of the dark theme. */
const dark: MantineColorsTuple = [
  '#E2E8F0',
  '#CBD5E1',
  '#A3B1C6',
  '#64748B',
  '#475569',
  '#334155',
  '#1E293B',
  '#0F172A',
  '#0B1220',
  '#070C17',
];

const system = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

/** One level: what floats, floats at the same height. */
const shadow = '0 1px 2px rgb(15 23 42 / 8%), 0 6px 16px rgb(15 23 42 / 10%)';

/** The theme of both portals. Text contrast is at least 4.5:1 in both colour schemes; a test measures every page. */
export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  colors: { teal, slate, gray: slate, dark },
  fontFamily: system,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontFamily: system, fontWeight: '650' },
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  shadows: { xs: shadow, sm: shadow, md: shadow, lg: shadow, xl: shadow },
  /** Mantine computes the text colour of filled buttons for the light scheme only. */
  variantColorResolver: (input) => {
    const colours = defaultVariantColorsResolver(input);
    const isPrimary = input.color === undefined || input.color === 'teal';
    return input.variant === 'filled' && isPrimary
      ? { ...colours, color: 'var(--mantine-primary-color-contrast)' }
      : colours;
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Anchor: { defaultProps: { underline: 'always' } },
    Table: { defaultProps: { verticalSpacing: 'xs', highlightOnHover: true } },
    Text: { defaultProps: { size: 'md' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm' }, styles: { root: { textTransform: 'none' } } },
  },
});

/** Semantic colours with enough contrast on their background. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-primary-color-contrast': '#FFFFFF',
    '--mantine-color-dimmed': '#52607A',
    '--mantine-color-body': '#FFFFFF',
    '--mantine-color-placeholder': '#5B6880',
    '--mantine-color-error': '#B91C1C',
    '--mantine-color-anchor': '#0F766E',
    '--page-background': '#FFFFFF',
    '--nav-background': '#F8FAFC',
    '--selected-background': '#E9EEF4',
    '--line': '#E2E8F0',
    '--mantine-color-default-border': '#CBD5E1',
    '--chip-border': '#94A3B8',
    '--drawing': '#64748B',
    '--chart-previous': '#64748B',
    '--good': '#15803D',
    '--warn': '#B45309',
    '--bad': '#B91C1C',
    '--mantine-color-red-light-color': '#991B1B',
    '--mantine-color-orange-light-color': '#92400E',
    '--mantine-color-green-light-color': '#166534',
    '--mantine-color-teal-light-color': '#115E59',
    '--mantine-color-gray-light-color': '#334155',
    '--mantine-color-blue-light-color': '#1E40AF',
    '--mantine-color-red-filled': '#B91C1C',
    '--mantine-color-red-filled-hover': '#991B1B',
    '--mantine-color-red-outline': '#B91C1C',
  },
  dark: {
    '--mantine-primary-color-contrast': '#042F2E',
    '--mantine-color-dimmed': '#A3B1C6',
    '--mantine-color-body': '#0F172A',
    '--mantine-color-placeholder': '#94A3B8',
    '--mantine-color-error': '#FCA5A5',
    '--mantine-color-anchor': '#2DD4BF',
    '--page-background': '#0B1220',
    '--nav-background': '#0F172A',
    '--selected-background': '#1E293B',
    '--line': '#26344A',
    '--mantine-color-default-border': '#3B4A61',
    '--chip-border': '#475569',
    '--drawing': '#94A3B8',
    '--chart-previous': '#94A3B8',
    '--good': '#4ADE80',
    '--warn': '#FBBF24',
    '--bad': '#F87171',
    '--mantine-color-red-light-color': '#FCA5A5',
    '--mantine-color-orange-light-color': '#FCD34D',
    '--mantine-color-green-light-color': '#86EFAC',
    '--mantine-color-teal-light-color': '#5EEAD4',
    '--mantine-color-gray-light-color': '#E2E8F0',
    '--mantine-color-blue-light-color': '#93C5FD',
    '--mantine-color-red-filled': '#DC2626',
    '--mantine-color-red-filled-hover': '#B91C1C',
    '--mantine-color-red-outline': '#FCA5A5',
  },
});
