// Options for code blocks. A separate file, because one of them is a function: https://expressive-code.com/reference/configuration/
import { defineEcConfig } from '@astrojs/starlight/expressive-code';

/** Shows the file name as the title of a code block: ```ts file=server.ts. The tests read the same attribute. */
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
  // No horizontal scrolling, which is hard on a phone and without a mouse.
  defaultProps: { wrap: true },
  styleOverrides: { borderRadius: '8px' },
});
