#!/usr/bin/env python3
"""Timelines of traced kernels: check_trace.py [--gpu] GEMMGEN SPEC:M:N:K ...

Each spec's kernel runs in the emulator, or on a GPU, with stamps and without; gemmgen holds D to be
the same. Of the timeline this holds that

- every warp's time is told without a gap: slices of a track lie in each other or beside each other;
- every K tile of every tile is multiplied once, by each warp that has a share of it;
- rings keep their protocol: a wait for a stage that is full ends after its fill has begun, and a
  stage is filled again when all that read it have waited for it;
- every group of MMAs ends at the end of a wait for it;
- in the emulator, its own timeline of the same launch has no wait for a barrier that the stamps do not
  have: at the same time, in the same track, with the same name."""

import collections
import json
import re
import subprocess
import sys
import tempfile


class Failure(Exception):
    pass


def require(holds, *what):
    if not holds:
        raise Failure(' '.join(str(part) for part in what))


def tracks(events):
    """Slices by process and thread, in the order of time, outer ones first."""
    found = collections.defaultdict(list)
    for event in events:
        if event['ph'] == 'X':
            found[event['pid'], event['tid']].append(event)
    for slices in found.values():
        slices.sort(key=lambda e: (e['ts'], -e['dur']))
    return found


def check_nesting(slices, where):
    """Gives the outermost slices, which follow each other without a gap."""
    stack, outer = [], []
    for event in slices:
        while stack and stack[-1] <= event['ts']:
            stack.pop()
        end = event['ts'] + event['dur']
        require(not stack or end <= stack[-1], where, 'is not nested:', event)
        if not stack:
            require(not outer or outer[-1]['ts'] + outer[-1]['dur'] == event['ts'],
                    where, 'has a gap before', event)
            outer.append(event)
        stack.append(end)
    return outer


def sides(text):
    """128x192x64."""
    return tuple(map(int, text.split('x')))


def end(event):
    return event['ts'] + event['dur']


def work(event):
    """The tile and K tile that a slice is of."""
    args = event.get('args', {})
    return (args['tile'], args['k_tile']) if 'k_tile' in args else None


def check_ring(process, outer):
    """Of a CTA with a producer: fills of stages, by tile and K tile, and waits for them."""
    fills, reads = {}, collections.defaultdict(list)
    for slices in outer.values():
        for event in slices:
            key = work(event)
            if key and re.match(r'empty(\[| of A\[)', event['name']):
                fills[key] = event
            if key and re.match(r'full\[', event['name']):
                reads[key].append(event)
    if not fills or not reads:  # of a pair the first CTA multiplies for both
        return
    for key, events in reads.items():
        require(key in fills, process, 'reads', key, 'which nobody fills')
        for event in events:
            require(end(event) > end(fills[key]), process, 'has read before it was filled:', event)
    for key in fills:
        require(reads[key], process, 'fills', key, 'which nobody reads')
    # The next fill of the same stage.
    by_stage = collections.defaultdict(list)
    for key, event in fills.items():
        by_stage[event['name']].append((end(event), key))
    for stage, events in by_stage.items():
        events.sort()
        for (_, first), (again, _) in zip(events, events[1:]):
            for event in reads[first]:
                require(end(event) < again, process, 'fills again before it was read:', event)


def check_tiles(processes, names, extents, plan):
    """Each K tile of each tile once, by every CTA, or pair, of a cluster, which has a tile of its
    own."""
    m, n, k = extents
    tile_m, tile_n, tile_k = sides(plan['tile']['shape'])
    cluster_m, cluster_n, *_ = sides(plan['schedule'].get('cluster', '1x1'))
    count = collections.Counter()
    for process, outer in processes.items():
        read = set()
        for thread, slices in outer.items():
            if 'producer' not in names[process, thread]:
                read |= {work(event) for event in slices
                         if work(event) and re.match(r'full\[|cp.async.wait_group', event['name'])}
        count.update(read)
    tiles = -(-m // (tile_m * cluster_m)) * -(-n // (tile_n * cluster_n))
    want = {(tile, k_tile) for tile in range(tiles) for k_tile in range(-(-k // tile_k))}
    require(set(count) == want, 'K tiles that are wrong:', sorted(set(count) ^ want)[:8])
    readers = cluster_m * cluster_n // int(plan['tile'].get('cta_group', 1))
    require(set(count.values()) == {readers}, 'K tiles are multiplied so often:',
            collections.Counter(count.values()))


def check_groups(events, outer):
    """wgmma's groups end where a wait for them does."""
    ends = {end(s) for slices in outer.values() for s in slices
            if s['name'].startswith('wgmma.wait_group')}
    for event in events:
        if event['ph'] == 'e' and event['cat'] == 'wgmma':
            require(event['ts'] in ends, 'a group that no wait ends:', event)


def names_of(events):
    threads, processes = {}, {}
    for event in events:
        if event['ph'] == 'M' and event['name'] == 'thread_name':
            threads[event['pid'], event['tid']] = event['args']['name']
        if event['ph'] == 'M' and event['name'] == 'process_name':
            processes[event['pid']] = event['args']['name']
    return threads, processes


def check_beside(stamped, own):
    """The emulator's waits for barriers, of the launch with stamps, are among those that are
    stamped."""
    names, processes = names_of(own)
    traced = {pid for pid, name in processes.items() if ', traced: ' in name}
    place = {name[name.index('CTA'):]: pid for pid, name in names_of(stamped)[1].items()}
    begin = max(e['ts'] + e.get('dur', 0) for e in own if 'ts' in e and e['pid'] not in traced)
    waits = collections.defaultdict(list)
    for key, slices in tracks(stamped).items():
        for event in slices:
            waits[key + (event['name'],)].append(event)
    found = 0
    for event in own:
        if event['ph'] != 'X' or event['pid'] not in traced:
            continue
        if not re.match(r'(full|empty|turn)', event['name']):
            continue
        key = place[processes[event['pid']][processes[event['pid']].index('CTA'):]], event['tid']
        ts = event['ts'] - begin
        inside = [w for w in waits[key + (event['name'],)]
                  if w['ts'] <= ts and ts + event['dur'] <= end(w)]
        require(inside, 'no stamps of', event, 'at', ts, 'among', waits[key + (event['name'],)][:3])
        found += 1
    return found


def read(path):
    """The timeline of a file, its times in whole nanoseconds."""
    with open(path, encoding='utf-8') as file:
        timeline = json.load(file)
    for event in timeline['traceEvents']:
        for key in ('ts', 'dur'):
            if key in event:
                event[key] = round(event[key] * 1000)
    return timeline


def run(gemmgen, *arguments):
    said = subprocess.run([gemmgen, *arguments], capture_output=True, text=True)
    require(said.returncode == 0, said.stdout + said.stderr)
    return said.stdout


def check(gemmgen, case, on_gpu):
    spec, *extents = case.split(':')
    m, n, k = extents
    with tempfile.TemporaryDirectory() as folder:
        path, own = folder + '/stamps.json', folder + '/own.json'
        said = run(gemmgen, 'trace', spec, '-m', m, '-n', n, '-k', k, '-o', path,
                   *(['--device', 'gpu'] if on_gpu else ['--device', 'emu', '--trace', own]))
        require('bit by bit' in said, said)
        timeline = read(path)
        beside = None if on_gpu else read(own)['traceEvents']
    require(timeline['otherData']['left_out'] == 0, timeline['otherData'])
    events = timeline['traceEvents']
    plan, = json.loads(run(gemmgen, 'explain', '--json', spec))
    names, _ = names_of(events)
    processes = collections.defaultdict(dict)
    for (process, thread), slices in tracks(events).items():
        processes[process][thread] = check_nesting(slices, names[process, thread])
    by_process = collections.defaultdict(list)
    for event in events:
        by_process[event['pid']].append(event)
    for process, outer in processes.items():
        check_ring(process, outer)
        check_groups(by_process[process], outer)
    check_tiles(processes, names, tuple(map(int, extents)), plan)
    waits = 'on a GPU' if on_gpu else f"{check_beside(events, beside)} waits as the emulator's"
    return f'{len(events)} events, {waits}'


def main():
    failed, arguments = 0, sys.argv[1:]
    on_gpu = arguments[0] == '--gpu'
    gemmgen, *cases = arguments[on_gpu:]
    for case in cases:
        try:
            print(f'{case}: {check(gemmgen, case, on_gpu)}')
        except Failure as failure:
            print(f'FAILED: {case}: {failure}')
            failed += 1
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
