import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';
import { policy } from './src/policy.ts';
import { sidebar } from './src/sidebar.ts';

export default defineConfig({
  output: 'static',
  trailingSlash: 'always',
  devToolbar: { enabled: false },
  vite: { server: { fs: { allow: ['../..'] } } },
  integrations: [
    starlight({
      title: 'Parley',
      description: 'Add a chatbot to your website and connect it to your own systems.',
      logo: { light: './src/assets/mark.svg', dark: './src/assets/mark-dark.svg', alt: '' },
      favicon: '/favicon.svg',
      customCss: ['./src/styles/parley.css'],
      sidebar,
      lastUpdated: false,
      credits: false,
    }),
    policy(),
  ],
});
