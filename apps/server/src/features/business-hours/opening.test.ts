import { describe, expect, test } from 'vitest';
import { days, type BusinessHours } from './business-hours.contract.ts';
import { availabilityAt, nextDayStart, waitedUntil } from './opening.ts';

const weekdays = days.slice(0, 5).map((day) => ({ day, opens: '09:00', closes: '17:00' }));
const berlin: BusinessHours = {
  timeZone: 'Europe/Berlin',
  weekly: weekdays,
  holidays: ['2026-12-25'],
  awayMessage: 'Back soon.',
  replyMinutes: 10,
};
const at = (time: string) => new Date(time);
const opensAt = (hours: BusinessHours, time: string) => {
  const { isOpen, opensAt: next } = availabilityAt(hours, at(time));
  return isOpen ? 'open' : (next?.toISOString() ?? 'never');
};

describe('availabilityAt', () => {
  test('without business hours, is always open and says nothing else', () => {
    expect(availabilityAt(null, at('2026-11-18T03:00:00Z'))).toEqual({
      isOpen: true,
      opensAt: null,
      replyMinutes: null,
      awayMessage: null,
    });
  });

  test.each([
    ['2026-11-18T07:59:59.999Z', '2026-11-18T08:00:00.000Z'], // Wednesday, 08:59 in Berlin
    ['2026-11-18T08:00:00Z', 'open'],
    ['2026-11-18T15:59:59.999Z', 'open'],
    ['2026-11-18T16:00:00Z', '2026-11-19T08:00:00.000Z'],
    ['2026-11-20T20:00:00Z', '2026-11-23T08:00:00.000Z'], // Friday evening to Monday
    ['2026-12-24T17:00:00Z', '2026-12-28T08:00:00.000Z'], // Christmas is a Friday
    ['2026-12-25T10:00:00Z', '2026-12-28T08:00:00.000Z'],
  ])('at %s: %s', (time, expected) => {
    expect(opensAt(berlin, time)).toBe(expected);
  });

  test('has the away message only while the team is away', () => {
    expect(availabilityAt(berlin, at('2026-11-18T10:00:00Z'))).toMatchObject({ awayMessage: null, replyMinutes: 10 });
    expect(availabilityAt(berlin, at('2026-11-18T20:00:00Z'))).toMatchObject({
      awayMessage: 'Back soon.',
      replyMinutes: 10,
    });
  });

  test.each([
    // Summer time starts in Berlin on 2026-03-29 and ends on 2026-10-25, both at 01:00 UTC.
    ['2026-03-27T17:00:00Z', '2026-03-30T07:00:00.000Z'],
    ['2026-10-23T17:00:00Z', '2026-10-26T08:00:00.000Z'],
  ])('opens at the same local time after the clock changes: %s', (time, expected) => {
    expect(opensAt(berlin, time)).toBe(expected);
  });

  test('skips an hour that the clock skips, and counts one that it repeats once', () => {
    const night = { ...berlin, weekly: [{ day: 'sunday' as const, opens: '02:00', closes: '03:00' }] };
    expect(opensAt(night, '2026-03-28T12:00:00Z')).toBe('2026-04-05T00:00:00.000Z');
    expect(opensAt(night, '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:00:00.000Z');
    expect(opensAt(night, '2026-10-25T00:30:00Z')).toBe('open');
    expect(opensAt(night, '2026-10-25T01:30:00Z')).toBe('open'); // 02:30 again: 02:00 to 03:00 lasts two hours
    expect(opensAt(night, '2026-10-25T02:00:00Z')).toBe('2026-11-01T01:00:00.000Z');
  });

  test('hours after midnight belong to the day on which they start, also before a holiday', () => {
    const late = {
      ...berlin,
      weekly: [{ day: 'thursday' as const, opens: '20:00', closes: '02:00' }],
    };
    expect(opensAt(late, '2026-12-24T23:30:00Z')).toBe('open'); // 00:30 on the holiday
    expect(opensAt(late, '2026-12-25T01:00:00Z')).toBe('2026-12-31T19:00:00.000Z');
  });

  test('is open all day without weekly hours, except on holidays', () => {
    const always = { ...berlin, weekly: null };
    expect(opensAt(always, '2026-12-24T22:59:59Z')).toBe('open');
    expect(opensAt(always, '2026-12-24T23:00:00Z')).toBe('2026-12-25T23:00:00.000Z');
  });

  test('never opens if every day it could is a holiday', () => {
    const holidays = Array.from({ length: 60 }, (_, week) =>
      new Date(Date.UTC(2026, 10, 16) + week * 7 * 86_400_000).toISOString().slice(0, 10),
    );
    const mondays = { ...berlin, weekly: [{ day: 'monday' as const, opens: '09:00', closes: '17:00' }], holidays };
    expect(opensAt(mondays, '2026-11-18T12:00:00Z')).toBe('never');
    expect(waitedUntil(mondays, at('2026-11-18T12:00:00Z'), 5)).toBeNull();
  });
});

describe('waitedUntil', () => {
  test.each([
    ['2026-11-18T10:00:00Z', 15, '2026-11-18T10:15:00.000Z'],
    ['2026-11-18T20:00:00Z', 15, '2026-11-19T08:15:00.000Z'], // the clock starts when the team opens
    ['2026-11-18T15:50:00Z', 15, '2026-11-19T08:00:00.000Z'], // due after closing: the next morning
  ])('since %s, %i minutes are over at %s', (since, minutes, expected) => {
    expect(waitedUntil(berlin, at(since), minutes)?.toISOString()).toBe(expected);
  });

  test('counts every minute without business hours', () => {
    expect(waitedUntil(null, at('2026-11-18T20:00:00Z'), 5)?.toISOString()).toBe('2026-11-18T20:05:00.000Z');
  });
});

test('nextDayStart is the first opening of a later day, or 08:00 without weekly hours', () => {
  expect(nextDayStart(berlin, at('2026-11-18T08:00:00Z')).toISOString()).toBe('2026-11-19T08:00:00.000Z');
  expect(nextDayStart(berlin, at('2026-11-20T08:00:00Z')).toISOString()).toBe('2026-11-23T08:00:00.000Z');
  expect(nextDayStart(null, at('2026-11-18T06:00:00Z')).toISOString()).toBe('2026-11-19T08:00:00.000Z');
});
