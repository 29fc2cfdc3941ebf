import { expect } from 'chai';
import { isDeliverableAddress, isDeliverablePort } from '../../../src/platform/values/addresses.ts';

/** First and last address of each range that is not public, or one address that stands for itself. */
const NOT_PUBLIC: Record<string, string[]> = {
  'unspecified and this network': ['0.0.0.0', '0.255.255.255', '::'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  loopback: ['127.0.0.1', '127.255.255.255', '::1'],
  'link-local': ['169.254.0.0', '169.254.255.255', 'fe80::1', 'febf:ffff::1'],
  'carrier-grade NAT': ['100.64.0.0', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  broadcast: ['255.255.255.255'],
  benchmarking: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.255', '2001:db8::1', '3fff::1'],
  reserved: ['192.0.0.1', '192.88.99.1', '240.0.0.0', '255.255.255.254', '4000::1', 'e000::1', '5f00::1'],
  '6to4': ['2002::1', '2002:7f00:1::', '2002:808:808::1'],
  Teredo: ['2001::1', '2001:0:ffff:ffff::1'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::1', '64:ff9b:1:ffff::a00:1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:8.8.8.8'],
  'IPv4-compatible': ['::127.0.0.1', '::8.8.8.8', '::a00:1'],
  'IPv4-translated': ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'],
  'unique local': ['fc00::1', 'fdff:ffff::1'],
  'site-local': ['fec0::1', 'feff::1'],
  ORCHID: ['2001:10::1', '2001:1f:ffff::1', '2001:20::1', '2001:2f:ffff::1'],
  discard: ['100::1', '100::ffff:ffff:ffff:ffff'],
  'cloud metadata': [
    '169.254.169.254',
    'fd00:ec2::254',
    'fd20:ce::254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
  ],
  'with a zone': ['fe80::1%eth0', '2606:4700:4700::1111%1', '::1%lo'],
  'no address in the usual notation': [
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '010.8.8.8',
    '2130706433',
    '8.8.8.8.',
    '8.8.8.8/32',
    ' 8.8.8.8',
    '[2606:4700:4700::1111]',
    '256.1.1.1',
  ],
};

describe('an address', () => {
  for (const [kind, addresses] of Object.entries(NOT_PUBLIC))
    it(`is not public when it is ${kind}`, () => {
      for (const ip of addresses) expect(isDeliverableAddress(ip, false), ip).to.equal(false);
    });

  it('is public when it lies just outside of those ranges', () => {
    const addresses = [
      '1.0.0.0',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.0',
      '168.63.129.15',
      '169.253.255.255',
      '169.255.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '192.167.255.255',
      '192.169.0.0',
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
      '2001:200::1',
      '2001:4860:4860::8888',
      '2003::1',
      '2606:4700:4700::1111',
      '3ffe::1',
    ];
    for (const ip of addresses) expect(isDeliverableAddress(ip, false), ip).to.equal(true);
  });

  it('may be delivered to only when it is public, unless private networks are allowed', () => {
    const own = ['127.0.0.1', '::1', '10.1.2.3', '172.17.0.2', '192.168.1.1', '100.64.0.1', 'fd00::1'];
    for (const ip of own) {
      expect(isDeliverableAddress(ip, false), ip).to.equal(false);
      expect(isDeliverableAddress(ip, true), ip).to.equal(true);
    }
    expect(isDeliverableAddress('8.8.8.8', false)).to.equal(true);
    expect(isDeliverableAddress('8.8.8.8', true)).to.equal(true);
  });

  it('is out of reach even where private networks are allowed when it is a metadata service, link-local or multicast', () => {
    const addresses = [
      ...(NOT_PUBLIC['cloud metadata'] ?? []),
      '169.254.1.1',
      'fe80::1',
      '224.0.0.1',
      '0.0.0.0',
      '::',
    ];
    for (const ip of addresses) expect(isDeliverableAddress(ip, true), ip).to.equal(false);
  });
});

describe('a port', () => {
  it('may be delivered to when it is 80, 443, or 1024 and above', () => {
    for (const port of [80, 443, 1024, 3000, 65_535])
      expect(isDeliverablePort(port), `${port}`).to.equal(true);
    for (const port of [0, 22, 25, 79, 81, 442, 444, 1023, 65_536, Number.NaN])
      expect(isDeliverablePort(port), `${port}`).to.equal(false);
  });
});
