import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { Bot, BotDeployment, BotVersionHead } from './bots.contract.ts';

// Names are public: customers subscribe to them. Add new ones; never rename or reuse one.

/** Without the draft, which is long and saved often. */
const data = z.object({ object: Bot.omit({ draft: true }) });
const viewed = { permission: 'bot.view' } as const;

export const botPublished = defineEvent('bot.published', z.object({ object: BotVersionHead }), viewed);
export const botDeployed = defineEvent(
  'bot.deployed',
  z.object({ object: BotDeployment, previous: BotDeployment.nullable() }),
  viewed,
);
export const botArchived = defineEvent('bot.archived', data, viewed);

/** For the audit log. */
export const botCreated = defineEvent('bot.created', data, { isPublic: false });
export const botUpdated = defineEvent('bot.updated', data, { isPublic: false });
