import { expect } from 'chai';
import {
  cellOf,
  deskPath,
  deskUrl,
  inCell,
  isToken,
  newApiKey,
  newPublicToken,
  parseCell,
  readDeskPath,
  VISIBLE_PREFIX_FORM,
  visiblePrefix,
  withoutCell,
} from '../../../src/platform/values/cells.ts';

const MANY = 2_000;
const B7 = { cell: 'b7' };
const NONE = { cell: null };
const CELLS = ['0', 'b7', 'live', 'test', 'northsea'];
const many = <T>(make: () => T): T[] => Array.from({ length: MANY }, make);

describe('ids that say their cell', () => {
  it('a key is sk_, test or live, its cell where there is one, and 192 bits', () => {
    expect(newApiKey('test')).to.match(/^sk_test_[A-Za-z0-9_-]{32}$/);
    expect(newApiKey('live', NONE)).to.match(/^sk_live_[A-Za-z0-9_-]{32}$/);
    for (const cell of CELLS)
      for (const mode of ['test', 'live'] as const)
        expect(newApiKey(mode, { cell })).to.match(new RegExp(`^sk_${mode}_${cell}_[A-Za-z0-9_-]{32}$`));
  });

  it('a public token has its cell and a dot in front', () => {
    expect(newPublicToken(NONE)).to.match(/^[A-Za-z0-9_-]{32}$/);
    expect(newPublicToken(B7)).to.match(/^b7\.[A-Za-z0-9_-]{32}$/);
    expect(inCell(B7, 'mer_1')).to.equal('b7.mer_1');
    expect(inCell(NONE, 'mer_1')).to.equal('mer_1');
  });

  it('are read as they were written, whatever their random parts hold', () => {
    for (const key of many(() => newApiKey('test'))) expect(cellOf(key), key).to.equal(null);
    for (const token of many(() => newPublicToken(NONE))) expect(cellOf(token), token).to.equal(null);
    for (const cell of CELLS)
      for (const id of [newApiKey('live', { cell }), newPublicToken({ cell })])
        expect(cellOf(id), id).to.equal(cell);
    expect(withoutCell('b7.mer_1')).to.equal('mer_1');
    expect(withoutCell('mer_1')).to.equal('mer_1');
  });

  it('a key of before whose random part begins as a cell does has none: the length decides', () => {
    for (let length = 1; length <= 8; length += 1) {
      const [cell, rest] = ['a'.repeat(length), 'x'.repeat(31 - length)];
      expect(cellOf(`sk_live_${cell}_${rest}`), `${length}`).to.equal(null);
      expect(cellOf(`sk_live_${cell}_${rest}${'x'.repeat(length + 1)}`), `${length}`).to.equal(cell);
    }
    // Two underscores: only the first one can end the cell that leaves 32.
    expect(cellOf(`sk_live_a_b_${'x'.repeat(30)}`)).to.equal('a');
    expect(cellOf(`sk_live_ab_c_${'x'.repeat(27)}`)).to.equal(null);
  });

  for (const text of [
    '',
    'b7',
    'sk_live_b7',
    `sk_live_B7_${'x'.repeat(32)}`,
    `sk_live_northseas_${'x'.repeat(32)}`,
    `sk_live_b7_${'x'.repeat(33)}`,
    `sk_prod_b7_${'x'.repeat(32)}`,
    `northseas.${'x'.repeat(32)}`,
    `B7.${'x'.repeat(32)}`,
    `.${'x'.repeat(32)}`,
    'pay_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  ])
    it(`${JSON.stringify(text)} names no cell`, () => {
      expect(cellOf(text)).to.equal(null);
    });

  it('a token of any cell has the form of one, and nothing else has', () => {
    for (const token of [newPublicToken(NONE), newPublicToken(B7)]) expect(isToken(token)).to.equal(true);
    const random = 'x'.repeat(32);
    for (const text of ['', 'b7.', `b7.c3.${random}`, `b7.${random}\n`, `b7/${random}`, `b7..${random}`])
      expect(isToken(text), text).to.equal(false);
  });
});

describe('the visible prefix of a key', () => {
  it('has mode, cell and five characters, and is its own prefix', () => {
    const random = 'abcdefghijklmnopqrstuvwxyz_-0123';
    expect(visiblePrefix(`sk_test_${random}`)).to.equal('sk_test_abcde');
    expect(visiblePrefix(`sk_test_b7_${random}`)).to.equal('sk_test_b7_abcde');
    expect(visiblePrefix(`sk_live_northsea_${random}`)).to.equal('sk_live_northsea_abcde');
    for (const cell of [null, ...CELLS]) {
      const prefix = visiblePrefix(newApiKey('live', { cell }));
      expect(prefix).to.match(VISIBLE_PREFIX_FORM);
      expect(visiblePrefix(prefix)).to.equal(prefix);
    }
  });

  it('shows of what is no key no more than of one', () => {
    for (const text of [`sk_live_${'A'.repeat(100)}`, `sk_live_b7_${'A'.repeat(100)}`, 'x'.repeat(100)])
      expect(visiblePrefix(text)).to.equal(text.slice(0, 13));
  });
});

describe('paths of the desk', () => {
  it('leave no cell the name of a page', () => {
    expect(parseCell('accounts')).to.equal('accounts');
    for (const name of ['account', 'links', 'passkey'])
      expect(() => parseCell(name)).to.throw('pages of the dashboard have these names');
  });

  it('get the cell behind /dashboard, and nothing without one', () => {
    for (const [path, own] of [
      ['/dashboard', '/dashboard/b7'],
      ['/dashboard?said=ended', '/dashboard/b7?said=ended'],
      ['/dashboard/account#a', '/dashboard/b7/account#a'],
    ] as const) {
      expect(deskPath(B7, path)).to.equal(own);
      expect(deskPath(NONE, path)).to.equal(path);
      expect(deskUrl({ ...B7, publicUrl: 'https://pay.example' }, path)).to.equal(
        `https://pay.example${own}`,
      );
    }
  });

  it('are split into cell and path', () => {
    for (const [path, cell, rest] of [
      ['/dashboard', null, '/dashboard'],
      ['/dashboard/', null, '/dashboard/'],
      ['/dashboard?to=/dashboard/b7', null, '/dashboard?to=/dashboard/b7'],
      ['/dashboard/b7', 'b7', '/dashboard'],
      ['/dashboard/b7/', 'b7', '/dashboard/'],
      ['/DASHBOARD/b7?a=b', 'b7', '/dashboard?a=b'],
      ['/dashboard/b7/account/sessions', 'b7', '/dashboard/account/sessions'],
      ['/dashboard/account', null, '/dashboard/account'],
      ['/dashboard/Links/x', null, '/dashboard/Links/x'],
      ['/dashboard/b7/links/x', 'b7', '/dashboard/links/x'],
      ['/dashboard/sign-in', null, '/dashboard/sign-in'],
      ['/dashboard/mer_1/people', null, '/dashboard/mer_1/people'],
    ] as const)
      expect(readDeskPath(path), path).to.deep.equal({ cell, path: rest });
    for (const path of ['/', '/dashboards', '/dashboardb7', '/v1/dashboard'])
      expect(readDeskPath(path), path).to.equal(null);
  });
});
