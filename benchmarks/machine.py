"""What was measured, and on what: enough to judge the figures by, and nothing that names the machine."""

import importlib.metadata
import json
import os
import platform
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

from benchmarks.peers import ALL

_ASK = "import importlib.metadata as m, json, sys; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"


def machine() -> dict[str, str]:
    """Cores, processor, memory, system, and how busy it was."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "processor": _processor(),
        "memory": f"{memory / (1 << 30):.0f} GiB",
        "system": f"{_system()}, {platform.system()} {platform.release()}",
        "load before": f"{os.getloadavg()[0]:.1f}",
    }


def versions() -> dict[str, str]:
    """Ours, and those of the peers that are here."""
    found = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    found |= {name: importlib.metadata.version(name) for name in ("onbook", "httpx2")}
    for environment in ALL:
        if environment.is_current():
            command = [str(environment.programs / "python"), "-c", _ASK, *environment.measured]
            found |= json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    for program in ("bash", "xargs", "parallel"):
        found |= _said_by(program)
    return found


def _said_by(program: str) -> dict[str, str]:
    """The first number that looks like a version; a program that is not here, or says none, has no entry."""
    if not shutil.which(program):
        return {}
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\d+(\.\d+)+|\b\d{8}\b", said)
    return {program: found[0]} if found else {}


def _processor() -> str:
    if sys.platform == "darwin":
        asked = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    cpuinfo = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*:\s*(.+)$", cpuinfo.read_text() if cpuinfo.exists() else "", re.MULTILINE)
    return names[0].strip() if names else platform.machine()


def _system() -> str:
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}"
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return sys.platform
