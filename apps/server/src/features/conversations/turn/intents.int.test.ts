import { describe, expect, test } from 'vitest';
import { aTenant, inside } from '../../../../test/harness.ts';
import { ActionSpec } from '../../actions/actions.contract.ts';
import { findIntent } from './intents.ts';

const { tenantId } = await aTenant();
const action = (n: number, name: string, triggers: string[]) =>
  ActionSpec.parse({ id: `act_01h45ytscbebyvny4gc8cr8ma${n}`, name, title: name, triggers });

const actions = {
  en: [
    action(1, 'status', ['where is my order', 'order status', 'track my parcel']),
    action(2, 'cancel', ['cancel my order', 'I want to cancel an order']),
    action(3, 'address', ['change my delivery address', 'send it to another address']),
    action(4, 'invoice', ['send me the invoice again', 'I need a copy of my invoice']),
  ],
  de: [
    action(1, 'status', ['wo ist meine Bestellung', 'Status der Bestellung', 'Paket verfolgen']),
    action(2, 'cancel', ['meine Bestellung stornieren', 'ich möchte eine Bestellung stornieren']),
    action(4, 'invoice', ['schicken Sie mir die Rechnung noch einmal', 'Kopie der Rechnung']),
  ],
  fr: [
    action(1, 'status', ['où est ma commande', 'suivre mon colis']),
    action(2, 'cancel', ['annuler ma commande', 'je veux annuler une commande']),
  ],
  es: [
    action(1, 'status', ['dónde está mi pedido', 'seguir mi paquete']),
    action(2, 'cancel', ['cancelar mi pedido', 'quiero cancelar un pedido']),
  ],
};
const actionFor = (language: keyof typeof actions, text: string, languages: string[] = [language]) =>
  inside(tenantId, async ({ tx }) => (await findIntent(tx, actions[language], text, languages))?.action.name);

describe('finds the matching action', () => {
  test.each([
    ['en', 'Where is my order A-4711?', 'status'],
    ['en', 'where are my orders', 'status'],
    ['en', 'can you track my parcel', 'status'],
    ['en', 'status of my order', 'status'],
    ['en', 'cancel order A-100', 'cancel'],
    ['en', 'Please cancel my order!', 'cancel'],
    ['en', 'I want to cancel', 'cancel'],
    ['en', 'change the delivery address', 'address'],
    ['en', 'I need my invoice', 'invoice'],
    ['de', 'Wo ist meine Bestellung A-4711?', 'status'],
    ['de', 'Bitte stornieren Sie meine Bestellung', 'cancel'],
    ['de', 'ich brauche eine Kopie der Rechnung', 'invoice'],
    ['fr', 'Où est ma commande ?', 'status'],
    ['fr', 'je voudrais annuler ma commande', 'cancel'],
    ['es', '¿Dónde está mi pedido A-4711?', 'status'],
    ['es', 'quiero cancelar mi pedido', 'cancel'],
  ] as const)('%s: %s', async (language, text, name) => {
    expect(await actionFor(language, text)).toBe(name);
  });
});

describe('finds no action', () => {
  test.each([
    ['en', 'How long do I have to send something back?'],
    ['en', 'What are your opening hours?'],
    ['en', 'hello'],
    ['en', 'thanks, that was it'],
    ['en', 'Is there a shop in Hamburg?'],
    ['en', 'What does delivery cost?'],
    ['en', 'A-4711'],
    ['en', ''],
    ['de', 'Wie lange dauert die Lieferung?'],
    ['de', 'Guten Tag'],
    ['fr', 'Quels sont vos horaires ?'],
    ['es', '¿Cuánto cuesta el envío?'],
  ] as const)('%s: %s', async (language, text) => {
    expect(await actionFor(language, text)).toBeUndefined();
  });

  test('for an action without phrases; and handles a very long text', async () => {
    const none = [action(9, 'silent', [])];
    await inside(tenantId, async ({ tx }) => {
      expect(await findIntent(tx, none, 'where is my order', ['en'])).toBeUndefined();
      expect(await findIntent(tx, actions.en, 'where is my order '.repeat(10_000), ['en'])).toBeDefined();
    });
  });
});

test('matches phrases in each language of the bot', async () => {
  const all = [...actions.en, ...actions.de.map((one) => ({ ...one, name: `${one.name}_de` }))];
  await inside(tenantId, async ({ tx }) => {
    expect((await findIntent(tx, all, 'cancel my order', ['en', 'de']))?.action.name).toBe('cancel');
    expect((await findIntent(tx, all, 'Bestellung stornieren', ['en', 'de']))?.action.name).toBe('cancel_de');
  });
});
