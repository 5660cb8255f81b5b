import faulthandler; faulthandler.dump_traceback_later(100, exit=True)
import argparse, asyncio, sys, time
from pathlib import Path
from queueing import load
from queueing.cases import SHIPPED, PUBLISHED
from queueing.clients import Seen, Server, simulated
from queueing.measured import RESULTS, read

def line(seen): return f"{seen.rate:7.1f}/s p50 {1e3*seen.quantile(.5):7.1f} p95 {1e3*seen.quantile(.95):7.1f} p99 {1e3*seen.quantile(.99):7.1f}"
m=read(Path(sys.argv[1])); name=sys.argv[2]; case=SHIPPED[name]; bodies=case.bodies()
with load.running(case.place) as server:
    asyncio.run(load.in_turn(server.port, case.path, bodies, 16, 100))
    for n in (1,4,16,64,256):
        r=max(60, min(1200, n*20)) if n<64 else 1500
        r=int(r*float(sys.argv[3]))
        h=server.http_seconds(); c=time.process_time()
        real=asyncio.run(load.in_turn(server.port, case.path, bodies, n, r))
        h=server.http_seconds()-h; c=time.process_time()-c
        t=time.time(); sim=simulated(m,name,Server(),clients=n,requests=r)
        print(n, 'real', line(real), f'http {h/r*1e3:.2f} client {c/r*1e3:.2f}'); print(n,' sim', line(sim), sim.busy, f'{time.time()-t:.1f}s', flush=True)
