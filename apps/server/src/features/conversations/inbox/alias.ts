import { createHash } from 'node:crypto';

const adjectives =
  'Amber Azure Bold Brave Bright Calm Clever Coral Crimson Curious Eager Emerald Fair Gentle Golden Happy Indigo Jolly Keen Kind Lively Lucky Merry Mellow Noble Olive Patient Proud Quick Quiet Ruby Scarlet Silver Smart Sunny Swift Tidy Violet Warm Witty'.split(
    ' ',
  );
const animals =
  'Badger Beaver Bison Crane Deer Dolphin Duck Eagle Falcon Ferret Finch Fox Gazelle Hare Hawk Heron Ibis Jay Koala Lark Lemur Lynx Magpie Marten Moose Newt Otter Owl Panda Penguin Puffin Quail Raven Robin Sparrow Squirrel Stork Swan Tapir Wren'.split(
    ' ',
  );

/** A friendly name for a visitor whose name is unknown. Always the same for the same visitor; two may share one. */
export function aliasOf(id: string): string {
  const [first = 0, second = 0] = createHash('sha256').update(id).digest();
  return `${adjectives[first % adjectives.length]} ${animals[second % animals.length]}`;
}
