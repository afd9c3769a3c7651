// How samples look. In a file of its own, since it holds a function: https://expressive-code.com/reference/configuration/
import { defineEcConfig } from '@astrojs/starlight/expressive-code';

/** The name of a file stands above it: ```ts file=server.ts, as the tests read it. */
const fileNames = {
  name: 'file names',
  hooks: {
    preprocessMetadata: ({ codeBlock }) => {
      codeBlock.props.title ??= codeBlock.metaOptions.getString('file');
    },
  },
};

// oxlint-disable-next-line import/no-default-export
export default defineEcConfig({
  plugins: [fileNames],
  // Nothing to scroll sideways: on a phone, and for whoever has no mouse.
  defaultProps: { wrap: true },
  styleOverrides: { borderRadius: '8px' },
});
