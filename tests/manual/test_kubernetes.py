"""The manifests for Kubernetes match this server, and each other."""

import http.client
from pathlib import Path
from typing import Any

from support.canary import Scanner
from support.deploy import DEPLOY, document, documents, instruction
from support.knowledge import KnowledgeBase
from support.processes import run_cli, serve_process

from asdlc_kb import __version__

EXAMPLES = {
    path.stem: document(f"kubernetes/examples/{path.name}")
    for path in sorted((DEPLOY / "kubernetes" / "examples").iterdir())
}
SERVICE = document("kubernetes/service.yaml")
LABELS = document("kubernetes/deployment.yaml")["metadata"]["labels"]


def test_the_cluster_asks_addresses_that_answer(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Probes, port and version of the manifests are the server's."""
    (pod,) = document("kubernetes/deployment.yaml")["spec"]["template"]["spec"][
        "containers"
    ]
    assert pod["image"] == f"asdlc-kb:{__version__}"
    (image,) = document("kubernetes/kustomization.yaml")["images"]
    assert (image["name"], image["newTag"]) == ("asdlc-kb", __version__)
    assert pod["ports"][0]["containerPort"] == int(instruction("EXPOSE"))
    paths = {
        pod[f"{kind}Probe"]["httpGet"]["path"]
        for kind in ("startup", "readiness", "liveness")
    }
    with serve_process(knowledge.root, scanner=scanner) as served:
        for path in paths:
            connection = http.client.HTTPConnection("127.0.0.1", served.port)
            connection.request("GET", path)
            assert connection.getresponse().status == 200
            connection.close()


def test_a_pod_that_waits_for_its_content_is_started_but_not_ready(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-093: kubelet restarts a container after a minute of failed startup probes."""
    (pod,) = document("kubernetes/deployment.yaml")["spec"]["template"]["spec"][
        "containers"
    ]
    assert {"name": "ASDLC_KB_WAIT", "value": "true"} in pod["env"]
    statuses = {}
    with serve_process(tmp_path / "later", "--wait", scanner=scanner) as served:
        for kind in ("startup", "readiness", "liveness"):
            connection = http.client.HTTPConnection("127.0.0.1", served.port)
            connection.request("GET", pod[f"{kind}Probe"]["httpGet"]["path"])
            statuses[kind] = connection.getresponse().status
            connection.close()
    assert statuses == {"startup": 200, "readiness": 503, "liveness": 200}


def test_the_content_of_the_cluster_is_served_from_a_mounted_map(
    tmp_path: Path, scanner: Scanner
) -> None:
    """A ConfigMap is mounted as links into a swapped folder; its article is valid."""
    (pod,) = document("kubernetes/deployment.yaml")["spec"]["template"]["spec"][
        "containers"
    ]
    root = Path(pod["args"][-1])
    (mount,) = (item for item in pod["volumeMounts"] if item["name"] == "concepts")
    category = tmp_path / root.name / Path(mount["mountPath"]).relative_to(root)
    (category / "..2026_11_22").mkdir(parents=True)
    (category / "..data").symlink_to("..2026_11_22")
    for name, text in document("kubernetes/content.yaml")["data"].items():
        (category / "..data" / name).write_text(text, encoding="utf-8")
        (category / name).symlink_to(f"..data/{name}")
    checked = run_cli("check", tmp_path / root.name, scanner=scanner)
    assert (checked.code, checked.out) == (0, "All checks passed\n"), checked.out
    listed = run_cli("list", tmp_path / root.name, scanner=scanner)
    assert "knowledge-base" in listed.out


def test_every_manifest_is_applied_or_an_example() -> None:
    """The folder's files are in its list, except those for several replicas."""
    listed = set(document("kubernetes/kustomization.yaml")["resources"])
    names = {path.name for path in (DEPLOY / "kubernetes").glob("*.yaml")}
    assert names - listed == {"kustomization.yaml", "redis.yaml"}
    assert len(documents("kubernetes/redis.yaml")) == 4
    page = (DEPLOY.parent / "docs" / "deploy.md").read_text(encoding="utf-8")
    assert all(f"`{name}.yaml`" in page for name in EXAMPLES)


def test_every_example_is_of_this_service_and_these_pods() -> None:
    """Names, labels and ports are those of the manifests."""
    (path,) = EXAMPLES["ingress"]["spec"]["rules"][0]["http"]["paths"]
    (port,) = SERVICE["spec"]["ports"]
    assert path["backend"]["service"] == {
        "name": SERVICE["metadata"]["name"],
        "port": {"name": port["name"]},
    }
    target = EXAMPLES["autoscaler"]["spec"]["scaleTargetRef"]
    assert target["name"] == document("kubernetes/deployment.yaml")["metadata"]["name"]
    policy = EXAMPLES["network-policy"]["spec"]
    assert policy["podSelector"]["matchLabels"] == LABELS
    assert policy["ingress"][0]["ports"] == [{"port": port["name"]}]
    redis = documents("kubernetes/redis.yaml")[0]["metadata"]["name"]
    (peer,) = policy["egress"][0]["to"]
    assert peer["podSelector"]["matchLabels"] == {"app.kubernetes.io/name": redis}
    assert all(example["metadata"]["labels"] == LABELS for example in EXAMPLES.values())


def test_the_service_monitor_reads_the_metrics(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """kubernetes-validate has no schema of the operator: its fields are these."""
    monitor: dict[str, Any] = EXAMPLES["service-monitor"]
    assert monitor["apiVersion"] == "monitoring.coreos.com/v1"
    assert monitor["spec"].keys() == {"selector", "endpoints"}
    assert monitor["spec"]["selector"] == {"matchLabels": SERVICE["metadata"]["labels"]}
    (endpoint,) = monitor["spec"]["endpoints"]
    assert endpoint.keys() == {"port", "path", "interval"}
    assert endpoint["port"] == SERVICE["spec"]["ports"][0]["name"]
    with serve_process(knowledge.root, scanner=scanner) as served:
        connection = http.client.HTTPConnection("127.0.0.1", served.port)
        connection.request("GET", endpoint["path"])
        response = connection.getresponse()
        assert (response.status, b"asdlc_kb_" in response.read()) == (200, True)
        connection.close()
